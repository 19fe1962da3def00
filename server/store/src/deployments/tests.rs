use inferex_model::deployment::FailureClass;

use super::*;
use crate::fixture::{Fixture, NOW, fixture, variant};

async fn started(f: &Fixture) -> DeploymentId {
    let owner = DeploymentOwner::Person;
    let created =
        f.store.create_deployment(&Actor::local(), &variant("v"), RuntimeKind::Process, owner, NOW).await;
    created.expect("creates")
}

async fn row(f: &Fixture, id: DeploymentId) -> DeploymentRow {
    f.store.deployment(id).await.expect("reads").expect("is there")
}

fn failure() -> Failure {
    Failure {
        class: FailureClass::PortInUse,
        exit_code: Some(1),
        sentence: "port 8090 is in use".to_owned(),
        hint: "stop the other program".to_owned(),
        lines: vec!["couldn't bind".to_owned()],
    }
}

#[tokio::test]
async fn every_state_is_kept_with_its_reason_and_time() {
    use DeploymentState::{Loading, Pending, Ready, Starting, Stopped};
    let f = fixture().await;
    let id = started(&f).await;
    for (state, reason) in [(Starting, None), (Loading, Some("loading model")), (Ready, None)] {
        assert!(f.store.set_deployment_state(id, state, reason, NOW).await.expect("moves"));
    }
    assert_eq!(f.store.open_deployments().await.expect("reads").len(), 1);
    assert!(f.store.request_stop(&Actor::local(), id, NOW).await.expect("asks"));
    assert!(!f.store.request_stop(&Actor::local(), id, NOW).await.expect("asks again"));
    let end = NOW.plus_ms(9);
    assert!(f.store.set_deployment_state(id, Stopped, None, end).await.expect("stops"));
    let row = row(&f, id).await;
    let states: Vec<_> = row.transitions.iter().map(|step| step.state).collect();
    assert_eq!(states, [Pending, Starting, Loading, Ready, DeploymentState::Stopping, Stopped]);
    assert_eq!(row.transitions[2].reason.as_deref(), Some("loading model"));
    assert_eq!((row.state, row.ended_at), (Stopped, Some(end)));
    assert_eq!(f.store.open_deployments().await.expect("reads"), []);
    let actions: Vec<String> =
        f.store.audit(9, None).await.expect("reads").into_iter().map(|r| r.action).collect();
    assert_eq!(actions, ["deployment.stop", "deployment.start"]);
}

#[tokio::test]
async fn states_move_forward_and_an_end_is_final() {
    let f = fixture().await;
    for from in DeploymentState::ALL {
        let id = started(&f).await;
        if from != DeploymentState::Pending {
            assert!(f.store.set_deployment_state(id, from, None, NOW).await.expect("moves"));
        }
        for to in DeploymentState::ALL {
            let order = |state| DeploymentState::ALL.iter().position(|s| *s == state);
            if from.is_over() || order(to) <= order(from) {
                let moved = f.store.set_deployment_state(id, to, None, NOW).await.expect("works");
                assert!(!moved, "{from} became {to}");
            }
        }
        assert_eq!(row(&f, id).await.state, from);
    }
}

#[tokio::test]
async fn what_is_learnt_about_an_engine_reads_back() {
    let f = fixture().await;
    let id = started(&f).await;
    let identity = ProcessIdentity { pid: 42, start_ticks: u64::MAX, boot_id: "boot".to_owned() };
    let command = ["llama-server".to_owned(), "--api-key".to_owned(), "***".to_owned()];
    let endpoint = "http://127.0.0.1:8090";
    let launch =
        Launch { identity: &identity, endpoint, port: 8090, log_path: "logs/dep-1.log", command: &command };
    assert!(f.store.set_deployment_process(id, launch).await.expect("remembers"));
    let capacity = Capacity { slots: Some(8), kv_tokens: Some(16_384), ..Capacity::default() };
    assert!(f.store.set_deployment_capacity(id, &capacity).await.expect("remembers"));
    let row = row(&f, id).await;
    assert_eq!(
        (row.identity, row.port, row.command.as_deref()),
        (Some(identity.clone()), Some(8090), Some(&command[..]))
    );
    assert_eq!((row.endpoint.as_deref(), row.log_path.as_deref()), (Some(endpoint), Some("logs/dep-1.log")));
    assert_eq!(
        (row.capacity, row.owner, row.variant),
        (Some(capacity), DeploymentOwner::Person, variant("v"))
    );
    f.store.set_deployment_state(id, DeploymentState::Lost, None, NOW).await.expect("is lost");
    assert!(!f.store.set_deployment_process(id, launch).await.expect("works"), "it is over");
}

#[tokio::test]
async fn the_first_word_about_an_end_stands() {
    let f = fixture().await;
    let id = started(&f).await;
    assert!(f.store.set_deployment_failure(id, &failure(), NOW).await.expect("fails"));
    let other = Failure { sentence: "too late".to_owned(), ..failure() };
    assert!(!f.store.set_deployment_failure(id, &other, NOW).await.expect("works"));
    assert!(!f.store.set_deployment_state(id, DeploymentState::Stopped, None, NOW).await.expect("works"));
    let row = row(&f, id).await;
    assert_eq!((row.state, row.failure), (DeploymentState::Failed, Some(failure())));
    assert_eq!(row.transitions[1].reason.as_deref(), Some("port 8090 is in use"));
    assert!(!f.store.set_deployment_failure(DeploymentId(99), &failure(), NOW).await.expect("works"));
}

#[tokio::test]
async fn an_engine_of_a_block_names_it_and_is_not_audited() {
    let f = fixture().await;
    f.experiment(1, 1, &[1]).await;
    let block = f.claim().await.expect("a block");
    let owner = DeploymentOwner::Block(block.block);
    let created =
        f.store.create_deployment(&Actor::system(), &block.variant, RuntimeKind::Process, owner, NOW).await;
    let id = created.expect("creates");
    assert_eq!(row(&f, id).await.owner, owner);
    let environment = inferex_model::environment::Environment::default();
    assert!(f.store.set_block_environment(block.block, 1, &environment, Some(id)).await.expect("sets"));
    let blocks = f.store.blocks_of(block.experiment).await.expect("reads");
    assert_eq!(blocks[0].deployment, Some(id));
    assert_eq!(f.store.deployments(10).await.expect("reads").len(), 1);
    let audit = f.store.audit(10, None).await.expect("reads");
    assert!(audit.iter().all(|row| row.action != "deployment.start"));
}
