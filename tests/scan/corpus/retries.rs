// Right and wrong retry code. `// retry: BOUND WAIT` stands where a location begins; everything else is none.
use std::thread::sleep;
use std::time::{Duration, Instant};

fn right(client: &Client, url: &str) -> Result<String, Error> {
    let mut last = None;
    for attempt in 0..5 { // retry: count growing
        match client.get(url) {
            Ok(body) => return Ok(body),
            Err(error) => {
                last = Some(error);
                sleep(Duration::from_millis(100 * 2u64.pow(attempt)));
            }
        }
    }
    Err(last.unwrap())
}

async fn for_ever(client: &Client, url: &str) -> String {
    loop { // retry: none fixed
        match client.get(url).send().await {
            Ok(body) => return body,
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

fn tight(client: &Client, url: &str) -> String {
    loop { // retry: none none
        if let Ok(body) = client.get(url) {
            return body;
        }
    }
}

fn until_a_time(client: &Client, url: &str, limit: Duration) -> Result<(), Error> {
    let deadline = Instant::now() + limit;
    let mut delay = Duration::from_millis(100);
    while Instant::now() < deadline { // retry: time growing
        if client.send(url).is_ok() {
            return Ok(());
        }
        sleep(delay);
        delay *= 2;
    }
    Err(Error::TooLate)
}

fn counted(client: &Client, url: &str) -> Result<String, Error> {
    let mut attempts = 0;
    loop { // retry: count fixed
        let response = client.get(url);
        if let Err(error) = response {
            attempts += 1;
            if attempts >= 3 {
                return Err(error);
            }
            sleep(Duration::from_secs(1));
            continue;
        }
        return response;
    }
}

// None of these tries the same again.

fn each(client: &Client, urls: &[String]) {
    for url in urls {
        match client.get(url) {
            Ok(body) => println!("{}", body),
            Err(error) => eprintln!("{}", error),
        }
    }
}

fn worked_off(receiver: &Receiver<Job>) {
    loop {
        match receiver.recv() {
            Ok(job) => job.run(),
            Err(_) => return,
        }
    }
}
