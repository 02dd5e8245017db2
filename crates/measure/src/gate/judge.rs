//! filled in next
