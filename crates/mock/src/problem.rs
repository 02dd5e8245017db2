//! Why a request is refused, before any protocol has put it in its own words.

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The bytes are not an HTTP/1.x request.
    NotHttp,
    /// The request is larger than the mock takes.
    TooLarge,
    /// The body is not JSON.
    NotJson,
    /// The body lacks the named field, or it is empty.
    MissingField(&'static str),
    /// A key is asked for and none was sent.
    MissingKey,
    /// The key is not the one asked for.
    WrongKey,
    /// More requests came than are taken.
    RateLimited,
    /// The server cannot answer now.
    Unavailable,
    /// Something broke while the answer was made.
    Internal,
    /// No such path, or not by this method.
    NotFound,
    /// The model is not one of those served.
    UnknownModel(String),
}

impl Problem {
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::NotHttp | Self::NotJson | Self::MissingField(_) => 400,
            Self::MissingKey | Self::WrongKey => 401,
            Self::NotFound | Self::UnknownModel(_) => 404,
            Self::TooLarge => 413,
            Self::RateLimited => 429,
            Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }

    /// One sentence for a human.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::NotHttp => "This is not an HTTP/1.1 request.".to_owned(),
            Self::TooLarge => "The request is too large.".to_owned(),
            Self::NotJson => "The body of the request is not valid JSON.".to_owned(),
            Self::MissingField(field) => format!("Missing required parameter: '{field}'."),
            Self::MissingKey => "No API key was provided.".to_owned(),
            Self::WrongKey => "Incorrect API key provided.".to_owned(),
            Self::RateLimited => "Rate limit reached: too many requests.".to_owned(),
            Self::Unavailable => "The server cannot take requests at present.".to_owned(),
            Self::Internal => "The server had an error while it made the answer.".to_owned(),
            Self::UnknownModel(model) => format!("The model `{model}` does not exist."),
            Self::NotFound => "There is nothing at this path.".to_owned(),
        }
    }
}
