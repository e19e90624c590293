/* Each way to wait, for 1 s of this program's time. Says of each on one line whether clocks and outcome agree:
 *   "NAME ok" or "NAME wrong: waited 12 ms (wall 13 ms), result -1, errno 4"
 * First a request to the address in argv[1] ("127.0.0.1:8080"), whose fault arms the compression. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 1
#define EXPECTED (SECONDS * 1000LL)

static long long ms_on(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}
static const struct timespec span = {SECONDS, 0};
static struct timespec at(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_sec += SECONDS;
  return t;
}

static int wrong;
static void check(const char* name, long long began, long long wall, long result, int error, long wanted,
                  int wanted_error) {
  long long waited = ms_on(CLOCK_MONOTONIC) - began, on_wall = ms_on(CLOCK_REALTIME) - wall;
  int fine = waited >= EXPECTED - 2 && waited <= EXPECTED + 300 && on_wall >= EXPECTED - 2 &&
             on_wall <= EXPECTED + 300 && result == wanted && (result != -1 || error == wanted_error);
  wrong += !fine;
  if (fine)
    printf("%s ok\n", name);
  else
    printf("%s wrong: waited %lld ms (wall %lld ms), result %ld, errno %d\n", name, waited, on_wall, result, error);
  fflush(stdout);
}
#define WAIT(name, expression, wanted, wanted_error)                          \
  do {                                                                        \
    long long began_ = ms_on(CLOCK_MONOTONIC), wall_ = ms_on(CLOCK_REALTIME); \
    errno = 0;                                                                \
    long result_ = (long)(expression);                                        \
    check(name, began_, wall_, result_, errno, wanted, wanted_error);         \
  } while (0)

static void on_signal(int number) { (void)number; }
static void* for_ever(void* unused) {
  while (pause() == -1) {
  }
  return unused;
}
static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static void* takes(void* ready) {
  pthread_mutex_lock(&taken);
  pthread_rwlock_wrlock(&written);
  sem_post(ready);
  return for_ever(NULL);
}
static long ticks(int fd) {
  unsigned long long count = 0;
  return read(fd, &count, sizeof count) == sizeof count ? (long)count : -1;
}
static long polled(int fd) {
  struct pollfd one = {fd, POLLIN, 0};
  return poll(&one, 1, -1) == 1 ? ticks(fd) : -1;
}

static void request(const char* address) {
  struct sockaddr_in to = {.sin_family = AF_INET};
  char host[64];
  snprintf(host, sizeof host, "%s", address);
  char* port = strchr(host, ':');
  *port++ = 0;
  to.sin_port = htons((unsigned short)atoi(port));
  inet_pton(AF_INET, host, &to.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr*)&to, sizeof to)) _exit(9);
  const char text[] = "GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
  char answer[4096];
  if (write(fd, text, sizeof text - 1) < 0) _exit(9);
  while (read(fd, answer, sizeof answer) > 0) {
  }
  close(fd);
}

static void sleeps(void) {
  struct timespec when;
  WAIT("nanosleep", nanosleep(&span, NULL), 0, 0);
  WAIT("clock_nanosleep", clock_nanosleep(CLOCK_REALTIME, 0, &span, NULL), 0, 0);
  when = at(CLOCK_MONOTONIC);
  WAIT("clock_nanosleep-monotonic", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL), 0, 0);
  when = at(CLOCK_REALTIME);
  WAIT("clock_nanosleep-realtime", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &when, NULL), 0, 0);
  when = at(CLOCK_BOOTTIME);
  WAIT("clock_nanosleep-boottime", clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &when, NULL), 0, 0);
  WAIT("usleep", usleep(SECONDS * 1000000), 0, 0);
  WAIT("sleep", sleep(SECONDS), 0, 0);
  WAIT("thrd_sleep", thrd_sleep(&span, NULL), 0, 0);
}

static void descriptors(int fd) {
  struct timeval limit = {SECONDS, 0};
  struct pollfd one = {fd, POLLIN, 0};
  struct epoll_event event = {EPOLLIN, {0}};
  fd_set set;
  int epoll = epoll_create1(0);
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  FD_ZERO(&set);
  FD_SET(fd, &set);
  WAIT("select", select(fd + 1, &set, NULL, NULL, &limit), 0, 0);
  limit = (struct timeval){SECONDS, 0};
  WAIT("select-nothing", select(0, NULL, NULL, NULL, &limit), 0, 0);
  FD_SET(fd, &set);
  WAIT("pselect", pselect(fd + 1, &set, NULL, NULL, &span, NULL), 0, 0);
  WAIT("poll", poll(&one, 1, EXPECTED), 0, 0);
  WAIT("ppoll", ppoll(&one, 1, &span, NULL), 0, 0);
  WAIT("epoll_wait", epoll_wait(epoll, &event, 1, EXPECTED), 0, 0);
  WAIT("epoll_pwait", epoll_pwait(epoll, &event, 1, EXPECTED, NULL), 0, 0);
  WAIT("epoll_pwait2", epoll_pwait2(epoll, &event, 1, &span, NULL), 0, 0);
}

static void locks(void) {
  struct timespec when;
  sem_t sem, ready;
  pthread_t thread, idle;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER, monotonic;
  pthread_condattr_t attributes;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  sem_init(&sem, 0, 0);
  sem_init(&ready, 0, 0);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monotonic, &attributes);
  pthread_create(&thread, NULL, takes, &ready);
  pthread_create(&idle, NULL, for_ever, NULL);
  sem_wait(&ready);
  when = at(CLOCK_REALTIME);
  WAIT("sem_timedwait", sem_timedwait(&sem, &when), -1, ETIMEDOUT);
  when = at(CLOCK_MONOTONIC);
  WAIT("sem_clockwait", sem_clockwait(&sem, CLOCK_MONOTONIC, &when), -1, ETIMEDOUT);
  when = at(CLOCK_REALTIME);
  WAIT("pthread_mutex_timedlock", pthread_mutex_timedlock(&taken, &when), ETIMEDOUT, 0);
  when = at(CLOCK_MONOTONIC);
  WAIT("pthread_mutex_clocklock", pthread_mutex_clocklock(&taken, CLOCK_MONOTONIC, &when), ETIMEDOUT, 0);
  when = at(CLOCK_REALTIME);
  WAIT("mtx_timedlock", mtx_timedlock((mtx_t*)&taken, &when), thrd_timedout, 0);
  when = at(CLOCK_REALTIME);
  WAIT("pthread_rwlock_timedrdlock", pthread_rwlock_timedrdlock(&written, &when), ETIMEDOUT, 0);
  when = at(CLOCK_MONOTONIC);
  WAIT("pthread_rwlock_clockwrlock", pthread_rwlock_clockwrlock(&written, CLOCK_MONOTONIC, &when), ETIMEDOUT, 0);
  when = at(CLOCK_REALTIME);
  WAIT("pthread_timedjoin_np", pthread_timedjoin_np(idle, NULL, &when), ETIMEDOUT, 0);
  pthread_mutex_lock(&mutex);
  when = at(CLOCK_REALTIME);
  WAIT("pthread_cond_timedwait", pthread_cond_timedwait(&condition, &mutex, &when), ETIMEDOUT, 0);
  when = at(CLOCK_MONOTONIC);
  WAIT("pthread_cond_timedwait-monotonic", pthread_cond_timedwait(&monotonic, &mutex, &when), ETIMEDOUT, 0);
  when = at(CLOCK_MONOTONIC);
  WAIT("pthread_cond_clockwait", pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &when), ETIMEDOUT, 0);
  when = at(CLOCK_REALTIME);
  WAIT("cnd_timedwait", cnd_timedwait((cnd_t*)&condition, (mtx_t*)&mutex, &when), thrd_timedout, 0);
  pthread_mutex_unlock(&mutex);
}

static void by_number(void) {
  struct timespec when;
  unsigned word = 0;
  WAIT("futex-wait", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &span, NULL, 0), -1, ETIMEDOUT);
  when = at(CLOCK_MONOTONIC);
  WAIT("futex-bitset", syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &when, NULL, -1), -1, ETIMEDOUT);
  when = at(CLOCK_REALTIME);
  WAIT("futex-bitset-realtime",
       syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &when, NULL, -1), -1, ETIMEDOUT);
}

static void signals(void) {
  sigset_t set;
  struct sembuf down = {0, -1, 0};
  int id = semget(IPC_PRIVATE, 1, 0600);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  WAIT("sigtimedwait", sigtimedwait(&set, NULL, &span), -1, EAGAIN);
  WAIT("semtimedop", semtimedop(id, &down, 1, &span), -1, EAGAIN);
  semctl(id, 0, IPC_RMID);
}

static void sockets(int fd, int other) {
  struct timeval limit = {SECONDS, 0};
  struct timespec rest = span;
  struct mmsghdr message;
  char byte, many[65536] = {0};
  int pair[2], listener = socket(AF_INET, SOCK_STREAM, 0);
  memset(&message, 0, sizeof message);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  WAIT("recv", recv(fd, &byte, 1, 0), -1, EAGAIN);
  WAIT("read", read(fd, &byte, 1), -1, EAGAIN);
  listen(listener, 1);
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  WAIT("accept", accept(listener, NULL, NULL), -1, EAGAIN);
  while (send(other, many, sizeof many, MSG_DONTWAIT) > 0) {
  }
  setsockopt(other, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  WAIT("send", send(other, many, sizeof many, 0), -1, EAGAIN);
  socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
  WAIT("recvmmsg", recvmmsg(pair[0], &message, 1, 0, &rest), 0, 0);
}

static void timers(void) {
  struct itimerspec in = {{0, 0}, {SECONDS, 0}}, when = {{0, 0}, {0, 0}};
  struct itimerval value = {{0, 0}, {SECONDS, 0}};
  struct sigevent by_signal = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  int monotonic = timerfd_create(CLOCK_MONOTONIC, 0), realtime = timerfd_create(CLOCK_REALTIME, 0);
  timer_t timer;
  sem_t sem;
  sigset_t none;
  char byte;
  int quiet[2];
  sigemptyset(&none);
  sem_init(&sem, 0, 0);
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGALRM, &action, NULL);
  WAIT("timerfd", (timerfd_settime(monotonic, 0, &in, NULL), polled(monotonic)), 1, 0);
  WAIT("timerfd-read", (timerfd_settime(monotonic, 0, &in, NULL), ticks(monotonic)), 1, 0);
  when.it_value = at(CLOCK_REALTIME);
  WAIT("timerfd-realtime", (timerfd_settime(realtime, TFD_TIMER_ABSTIME, &when, NULL), polled(realtime)), 1, 0);
  WAIT("setitimer-poll", (setitimer(ITIMER_REAL, &value, NULL), poll(NULL, 0, -1)), -1, EINTR);
  WAIT("alarm-pause", (alarm(SECONDS), pause()), -1, EINTR);
  WAIT("alarm-sigsuspend", (alarm(SECONDS), sigsuspend(&none)), -1, EINTR);
  WAIT("alarm-sem_wait", (alarm(SECONDS), sem_wait(&sem)), -1, EINTR);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, quiet)) _exit(9);
  WAIT("alarm-recv", (alarm(SECONDS), recv(quiet[0], &byte, 1, 0)), -1, EINTR);
  timer_create(CLOCK_MONOTONIC, &by_signal, &timer);
  WAIT("timer_create-select", (timer_settime(timer, 0, &in, NULL), select(0, NULL, NULL, NULL, NULL)), -1, EINTR);
  timer_delete(timer);
}

int main(int count, char** arguments) {
  int pair[2];
  if (count < 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 9;
  request(arguments[1]);
  sleeps();
  descriptors(pair[0]);
  by_number();
  signals();
  sockets(pair[0], pair[1]);
  timers();
  locks();
  printf("%d wrong\n", wrong);
  fflush(stdout);
  _exit(wrong != 0);
}
