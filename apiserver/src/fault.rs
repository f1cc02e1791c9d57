//! Injected faults, and the requests that they affect.
//!
//! ```text
//! script  --> Faults (armed) --take(request)--> Plan --before--> the state, or another response
//!   text                                             --after---> the body (spoil)
//! ```

pub(crate) mod activity;
mod armed;
mod kind;
mod plan;
pub(crate) mod requests;
mod script;
mod text;
pub(crate) mod watches;

pub(crate) use self::armed::Faults;
pub use self::kind::Fault;
pub(crate) use self::plan::Plan;
pub use self::script::{FaultRun, FaultScript};
pub use self::text::ParseFaultError;
