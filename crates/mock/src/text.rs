//! The words the mock speaks. Short, and not all of them ASCII or free of characters that JSON escapes.

/// Token number `index` of an answer.
pub(crate) fn token(index: usize) -> &'static str {
    TOKENS[index % TOKENS.len()]
}

/// The first `tokens` tokens as one text.
pub(crate) fn whole(tokens: usize) -> String {
    (0..tokens).map(token).collect()
}

/// Roughly the tokens of a prompt: one a word, one a character where a script knows no spaces.
pub(crate) fn rough_tokens(prompt: &str) -> usize {
    let wide = prompt.chars().filter(|c| !c.is_ascii()).count();
    let words = prompt.split(|c: char| c.is_whitespace() || !c.is_ascii()).filter(|word| !word.is_empty());
    wide + words.count()
}

const TOKENS: [&str; 24] = [
    "The",
    " river",
    " runs",
    " past",
    " the",
    " old",
    " mill",
    ",",
    " 河水",
    "流过",
    "老",
    "磨坊",
    "。",
    " She",
    " said",
    " \"wait\"",
    ",",
    " and",
    " the",
    " wheel",
    " stood",
    " still",
    ".",
    "\n",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_counted_by_words_and_wide_characters() {
        let table = [("", 0), ("one  two\nthree", 3), ("你好", 2), ("say 你好 twice", 4)];
        for (prompt, tokens) in table {
            assert_eq!(rough_tokens(prompt), tokens, "{prompt}");
        }
    }

    #[test]
    fn the_whole_text_is_its_tokens_in_order() {
        let joined: String = (0..30).map(token).collect();
        assert_eq!(whole(30), joined);
        assert!(TOKENS.iter().all(|token| !token.is_empty()));
    }
}
