//! Our own server.
