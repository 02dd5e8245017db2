//! Where the samples of an order go: recorders, or a list.

use measure::{Offset, Sample};

/// Where the samples of an order go.
pub(crate) trait Intake {
    /// A request ended.
    fn take(&mut self, sample: Sample);

    /// The order was ended early at this moment; said again with every further sample.
    fn cut(&mut self, at: Offset);
}

impl Intake for Vec<Sample> {
    fn take(&mut self, sample: Sample) {
        self.push(sample);
    }

    fn cut(&mut self, _: Offset) {}
}
