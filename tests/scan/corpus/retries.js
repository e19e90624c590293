// Right and wrong retry code. `// retry: BOUND WAIT` stands where a location begins; everything else is none.
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function right(url) {
  for (let attempt = 0; attempt < 5; attempt++) { // retry: count jitter
    try {
      return await fetch(url);
    } catch (error) {
      await sleep(Math.random() * 2 ** attempt * 100);
    }
  }
  throw new Error("gave up");
}

async function forEver(url) {
  while (true) { // retry: none fixed
    try {
      return await fetch(url);
    } catch (error) {
      await sleep(1000);
    }
  }
}

async function byStatus(url) {
  let answer;
  let tries = 0;
  do { // retry: count none
    answer = await fetch(url);
  } while (answer.status === 503 && tries++ < 3);
  return answer;
}

async function untilOk(url) {
  for (;;) { // retry: none fixed
    const answer = await fetch(url);
    if (answer.ok) return answer;
    await sleep(500);
  }
}

function again(url, left = 3) {
  return fetch(url).catch((error) => {
    if (left === 0) throw error;
    return again(url, left - 1); // retry: count none
  });
}

class Connection {
  connect() {
    this.socket = new WebSocket(this.url);
    this.socket.onclose = () => {
      setTimeout(() => this.connect(), 1000); // retry: none fixed
    };
  }
}

function scheduleReconnect(client) {
  client.timer = setTimeout(() => client.open(), client.delay); // retry: none fixed
}

async function wrapped(pRetry, url) {
  return pRetry(() => fetch(url), { retries: 5 }); // retry: count growing
}

function options(axios, axiosRetry) {
  axiosRetry(axios, { retries: 3, retryDelay: axiosRetry.exponentialDelay }); // retry: count jitter
  return axios.get("/", { retries: 2 }); // retry: count elsewhere
}

async function promised(url) {
  for (let n = 0; n < 4; n++) { // retry: count growing
    const answer = await fetch(url);
    if (answer.ok) return answer;
    await new Promise((r) => setTimeout(r, 100 * (n + 1)));
  }
  throw new Error("gave up");
}

async function toldTheTurn(call, times) {
  for (let i = 0; i < times; i++) { // retry: count none
    try {
      return await call(i);
    } catch (error) {
      console.log(error);
    }
  }
  throw new Error("gave up");
}

async function neverCounted(api) {
  let tries = 0;
  while (tries < 5) { // retry: none none
    try {
      return await api.post("/");
    } catch (error) {
      console.error(error);
    }
  }
}

async function whileUnavailable(url) {
  let answer;
  do { // retry: none none
    answer = await fetch(url);
  } while (answer.status === 503);
  return answer;
}

function secondOfThen(api, done) {
  api.get("/").then(
    (answer) => done(answer),
    () => setTimeout(() => secondOfThen(api, done), 1000), // retry: none fixed
  );
}

function byCallback(host, left, done) {
  const socket = net.connect(host);
  socket.once("error", (error) => {
    if (left <= 1) return done(error);
    setTimeout(byCallback, 250, host, left - 1, done); // retry: count fixed
  });
}

function endless(client) {
  axiosRetry(client, { retries: Infinity }); // retry: none none
}

function queued(queue) {
  return queue.add("mail", {}, { attempts: 5, backoff: { type: "exponential", delay: 1000 } }); // retry: count growing
}

const stream = (source) => source.pipe(retry({ count: 3, delay: 1000 })); // retry: count fixed

// None of these tries the same again.

async function eachOfSeveral(urls) {
  for (const url of urls) {
    try {
      return await fetch(url);
    } catch (error) {
      console.log(error);
    }
  }
}

async function allPages(url) {
  let next = url;
  while (next) {
    const page = await fetch(next);
    next = page.next;
  }
}

function walk(node) {
  if (node.kind === "folder") node.children.forEach((child) => walk(child));
}

function polled(job) {
  setTimeout(() => job.refresh(), 1000);
}

function switchedOff(client) {
  return client.get("/", { retries: 0 });
}

class Strategy {
  constructor() {
    this.retryCode(3);
  }
  next(error) {
    if (error) this.retryCount = 0;
    if (this.index >= this.stack.length) return done(error);
    const layer = this.stack[this.index++];
    if (!layer.match) return this.next(error);
  }
}

function connectWithTimeoutAndRetry(connection, timeoutMs) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('too late')), timeoutMs);
    connection.once('ready', resolve);
  });
}

axiosRetry(client, { retries: 4, retryDelay: (count) => 50 * 2 ** count }); // retry: count growing

async function once(api, dish) {
  return api.put(`dishes/${dish.code}`, { json: dish, retry: { limit: 0 } });
}

function upwards(start) {
  let folder = start;
  for (;;) {
    try {
      return require(`${folder}/package.json`);
    } catch {
      const up = folder.replace(/\/[^/]*$/, "");
      if (up === folder) return null;
      folder = up;
    }
  }
}

async function retryWithPause(fn) {
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  let retries = 0;
  while (true) { // retry: count fixed
    try {
      return await fn();
    } catch (error) {
      if (++retries >= 3) throw error;
      await pause(100);
    }
  }
}

async function againstATimer(url) {
  const timedOut = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("late")), 10000);
  });
  while (true) { // retry: time none
    try {
      return await Promise.race([fetch(url), timedOut]);
    } catch (error) {
      if (error.code !== "ECONNREFUSED") throw error;
    }
  }
}

function retryLater(client, config) {
  return new Promise((resolve) => {
    setTimeout(() => resolve(client.send(config)), 100); // retry: none fixed
  });
}
