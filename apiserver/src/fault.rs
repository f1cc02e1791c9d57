//! Injected faults, and the requests that they affect.
//!
//! ```text
//! script  --> Faults (armed) --take(request)--> FaultPlan --before--> the state, or another response
//!   JSON                                                  --after---> the body (spoil)
//! ```

pub(crate) mod activity;
mod armed;
mod kind;
mod plan;
pub(crate) mod requests;
mod script;
pub(crate) mod watches;

pub(crate) use self::armed::Faults;
pub use self::kind::Fault;
pub(crate) use self::plan::FaultPlan;
pub use self::script::{FaultRun, FaultScript, ParseFaultError};
