//! What pages show and the JSON API answers: plain data, safe to serialise.

mod account;
mod deployment;
mod experiment;
mod report;
mod result;
mod run;

pub use account::{AuditView, UserView};
pub use deployment::{DeploymentView, EngineSetupView, LogPage, TransitionView, VariantView};
pub use experiment::{EstimateView, ExperimentProgress, ExperimentRow, ExperimentView, RunCell, RunCounts};
pub use report::{NewShare, ReportRow, ReportSnapshot, ReportView, ShareView};
pub use result::{ArmFigures, ArmView, ChartView, DataTable, Estimate, FindingView, MachineView, ResultView};
pub use run::{CommandView, RunView};
