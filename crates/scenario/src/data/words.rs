//! Made-up text of a given length: always the same for the same number, so that a run can be repeated.

use super::order::mix;

/// Common, short, and one token each in most vocabularies.
const WORDS: [&str; 64] = [
    "the", "of", "and", "to", "in", "is", "that", "it", "for", "was", "on", "are", "as", "with", "his",
    "they", "at", "be", "this", "have", "from", "or", "one", "had", "by", "word", "but", "not", "what",
    "all", "were", "we", "when", "your", "can", "said", "there", "use", "an", "each", "which", "she", "do",
    "how", "their", "if", "will", "up", "other", "about", "out", "many", "then", "them", "these", "so",
    "some", "her", "would", "make", "like", "him", "into", "time",
];

/// `count` words; another `number` gives other ones from the first word on, so that no prefix cache helps.
pub(super) fn words(number: u64, count: u64) -> String {
    let key = mix(number);
    let word = |index| WORDS[(mix(key ^ index) % WORDS.len() as u64) as usize];
    // Few prompts begin alike by chance: the number itself is the first word.
    let rest = (1..count).map(word);
    std::iter::once(number.to_string()).chain(rest.map(str::to_owned)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_as_many_words_as_asked_for_and_its_own() {
        assert_eq!(words(7, 500).split(' ').count(), 500);
        assert_eq!(words(7, 1), "7");
        assert_eq!(words(7, 50), words(7, 50));
        assert_ne!(words(7, 50).split_once(' '), words(8, 50).split_once(' '));
    }
}
