use crashpoint::*;
fn main() {
    for id in std::env::args().skip(1) {
        let text = match scenarios::find(&id) {
            Some(p) => p.text.to_string(),
            None => std::fs::read_to_string(&id).unwrap(),
        };
        match language::parse(&text) {
            Err(ds) => {
                for d in ds {
                    println!("{id}: {d:?}")
                }
            }
            Ok(s) => {
                let faults: Vec<_> = s.faults.iter().map(|f| f.fault.clone()).collect();
                let t = simulation::run(&s.program, &faults, 10000);
                println!("=== {id} expect {:?}", s.expected);
                print!("{}", t.canonical());
                println!("hash {} struck {:?}", t.hash(), t.struck);
                for g in &t.gaps {
                    print!(
                        "{:?} {}.{}.{}; ",
                        g.point.side, g.point.step.service, g.point.step.step, g.point.step.visit
                    )
                }
                println!();
            }
        }
    }
}
