//! Lays the layers over one another.

use figment::value::Dict;
use figment::{Figment, Profile, Provider as _};

use super::alternatives::displace;
use super::builder::{Writing, lay};
use super::layer::{Layer, Origin};
use crate::diagnostic::{Place, Problems};
use crate::keys;

/// The weakest layer: the defaults of the list of keys.
pub(crate) fn defaults(problems: &Problems) -> Layer {
    let mut layer = Layer::new(Origin::Defaults);
    let rows = keys::TABLE.iter().filter(|key| key.section != "gate.check");
    for (key, default) in rows.filter_map(|key| Some((key, key.default?))) {
        let text = format!("{}.{} = {default}", key.section, key.name);
        let place = |_| Place::Layer("the defaults".into());
        let writing = Writing { place: &place, raw: None, source: "the defaults".into() };
        if let Ok(table) = toml::de::DeTable::parse(&text) {
            lay(&mut layer, table.get_ref(), &writing, problems);
        }
    }
    layer
}

/// The merged values; `layers` runs from weak to strong and loses what stronger layers displace.
pub(crate) fn merge(layers: &mut [Layer]) -> Result<Dict, String> {
    displace(layers);
    let merged = layers.iter().fold(Figment::new(), |merged, layer| merged.merge(layer));
    let mut values = merged.data().map_err(|error| error.to_string())?;
    Ok(values.remove(&Profile::Default).unwrap_or_default())
}
