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

fn guarded(client: &Client, url: &str) -> Result<String, Error> {
    let mut tries = 0;
    loop { // retry: count fixed
        match client.get(url) {
            Ok(body) => return Ok(body),
            Err(error) if tries >= 3 => return Err(error),
            _ => {}
        }
        tries += 1;
        sleep(Duration::from_secs(1));
    }
}

fn what_is_left_leaves(client: &Client, url: &str, most: usize) -> Result<String, Error> {
    let mut n = 0;
    loop { // retry: count none
        match client.get(url) {
            Err(error) if error.is_timeout() && n < most => n += 1,
            other => return other,
        }
    }
}

fn set_back(client: &Client, url: &str) -> Result<String, Error> {
    let mut tries = 0u32;
    loop { // retry: none none
        match client.get(url) {
            Ok(answer) if answer.status().is_success() => return Ok(answer.text()),
            _ if tries > 5 => return Err(Error::Gone),
            _ => tries = 0,
        }
    }
}

fn while_it_fails(client: &Client, url: &str) {
    while let Err(error) = client.send(url) { // retry: none fixed
        eprintln!("{}", error);
        sleep(Duration::from_secs(1));
    }
}

fn deeper(client: &Client, url: &str, left: u32) -> Result<String, Error> {
    match client.get(url) {
        Ok(body) => Ok(body),
        Err(_) if left > 0 => {
            sleep(Duration::from_millis(200));
            deeper(client, url, left - 1) // retry: count fixed
        }
        Err(error) => Err(error),
    }
}

fn asked_of_a_policy(client: &Client, url: &str, backoff: &mut Backoff) -> Result<String, Error> {
    loop { // retry: elsewhere elsewhere
        let error = match client.get(url) {
            Ok(body) => return Ok(body),
            Err(error) => error,
        };
        match backoff.next_backoff() {
            Some(pause) => sleep(pause.next()),
            None => return Err(error),
        }
    }
}

async fn libraries(client: &Client, policy: Policy) {
    let strategy = ExponentialBackoff::from_millis(10).map(jitter).take(4);
    let _ = Retry::spawn(strategy, || client.get("/")).await; // retry: count jitter
    let _ = Retry::spawn(FixedInterval::from_millis(500), || client.get("/")).await; // retry: none fixed
    let _ = backoff::future::retry(backoff::ExponentialBackoff::default(), || client.get("/")).await; // retry: time jitter
    let _ = (|| client.get("/")).retry(ExponentialBuilder::default().with_max_times(7)).await; // retry: count growing
}

fn given_back(mut jobs_left: VecDeque<Job>) {
    while let Some(mut job) = jobs_left.pop_front() {
        if let Err(error) = job.run() {
            if job.tries < 3 {
                job.tries += 1;
                jobs_left.push_back(job); // retry: count none
            }
        }
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

fn swapped(value: &AtomicU64) -> u64 {
    let mut seen = value.load(Ordering::Relaxed);
    loop {
        match value.compare_exchange_weak(seen, seen + 1, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => return seen + 1,
            Err(now) => seen = now,
        }
    }
}

fn asked_of_a_person(input: &Stdin) -> u32 {
    loop {
        let mut line = String::new();
        input.lock().read_line(&mut line).unwrap();
        match line.trim().parse() {
            Ok(number) => return number,
            Err(_) => println!("a number, please"),
        }
    }
}

fn until_it_says_so(client: &Client) -> bool {
    for _ in 0..30 {
        match client.get("/state") {
            Ok(answer) => match answer.text() {
                Ok(text) if text == "up" => return true,
                _ => {}
            },
            Err(_) => return false,
        }
        sleep(Duration::from_secs(1));
    }
    false
}

async fn asks_a_policy(plan: Plan, mut backoff: Backoff) -> Result<R> {
    loop { // retry: elsewhere elsewhere
        match plan.execute().await {
            Ok(r) => return Ok(r),
            Err(e) => match backoff.next_delay_duration() {
                Some(duration) => sleep(duration).await,
                None => return Err(e),
            },
        }
    }
}

async fn asks_a_policy_by_a_branch(client: Client, mut backoff: Backoff) -> Result<R> {
    loop { // retry: elsewhere elsewhere
        match client.scan().await {
            Ok(r) => return Ok(r),
            Err(e) => {
                if let Some(duration) = backoff.next_delay_duration() {
                    sleep(duration).await;
                } else {
                    return Err(e);
                }
            }
        }
    }
}

async fn no_count(client: Client) -> Result<R> {
    loop { // retry: none none
        match client.commit().await {
            Ok(r) => return Ok(r),
            Err(e) => {
                if let Some(low) = e.too_low {
                    if low.min_ts.saturating_sub(low.attempted_ts) > 943718400000 {
                        return Err(e);
                    }
                } else {
                    return Err(e);
                }
            }
        }
    }
}
