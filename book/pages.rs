//! Compiles and runs every listing of the book, page by page, as documentation tests.
#![forbid(unsafe_code)]

#[cfg(doctest)]
mod pages {
    #[doc = include_str!("src/introduction.md")]
    mod introduction {}

    #[doc = include_str!("src/first-job.md")]
    mod first_job {}

    #[doc = include_str!("src/streams.md")]
    mod streams {}

    #[doc = include_str!("src/files.md")]
    mod files {}

    #[doc = include_str!("src/values.md")]
    mod values {}

    #[doc = include_str!("src/context.md")]
    mod context {}

    #[doc = include_str!("src/joins.md")]
    mod joins {}

    #[doc = include_str!("src/testing.md")]
    mod testing {}
}
