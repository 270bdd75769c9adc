//! Tables in this process, with the semantics of the service.
