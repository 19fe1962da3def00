//! The whole program from outside: the real binary, its pages and API over HTTP, its commands, and engines that follow
//! a script. Nothing here knows a module of the program. Start from [`program::house::House`].

mod program {
    mod cli;
    mod crash;
    mod engine;
    mod failures;
    mod house;
    mod processes;
    mod redact;
    mod secrets;
    mod server;
    mod story;
    mod wait;
}
