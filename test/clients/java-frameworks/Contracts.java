import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** What ShedLock and Spring Integration ask of the locks below examples/java; prints the name of each contract that holds. */
public final class Contracts {
  public static void main(String[] args) throws Exception {
    shedLock();
    spring();
    System.exit(0);
  }

  private static void shedLock() throws Exception {
    LeaseLockProvider locks = new ShedLockApp().lockProvider();
    LeaseLockProvider others = new ShedLockApp().lockProvider();
    LockConfiguration minute = configuration(60, 0);

    SimpleLock lock = locks.lock(minute).orElseThrow();
    long token = locks.held("sendMails").token();
    holds("another process gets no lock", others.lock(minute).isEmpty());
    holds("the same process gets no second lock", locks.lock(minute).isEmpty());
    Optional<SimpleLock> extended = lock.extend(Duration.ofSeconds(90), Duration.ZERO);
    holds("an extended lock keeps its token", extended.isPresent() && locks.held("sendMails").token() == token);
    holds("an extended lock is used no more", fails(IllegalStateException.class, lock::unlock));
    extended.orElseThrow().unlock();
    holds("an unlocked job has no token", fails(IllegalStateException.class, () -> locks.held("sendMails")));

    SimpleLock short1 = others.lock(configuration(1, 0)).orElseThrow();
    holds("a later lock has a greater token", others.held("sendMails").token() > token);
    SimpleLock taken = eventually(locks, minute);
    holds("a lock past lockAtMostFor is not extended", short1.extend(Duration.ofSeconds(60), Duration.ZERO).isEmpty());
    holds("the other lock stays when its predecessor ends late", others.lock(minute).isEmpty());
    taken.unlock();

    others.lock(configuration(1, 0)).orElseThrow();
    taken = eventually(locks, minute);
    holds("a lock that was not unlocked runs out", locks.held("sendMails").token() > token);
    taken.unlock();

    locks.lock(configuration(60, 2)).orElseThrow().unlock();
    holds("lockAtLeastFor keeps an unlocked lock", others.lock(minute).isEmpty());
    eventually(others, minute).unlock();
  }

  private static LockConfiguration configuration(long atMost, long atLeast) {
    return new LockConfiguration(Instant.now(), "sendMails", Duration.ofSeconds(atMost), Duration.ofSeconds(atLeast));
  }

  private static SimpleLock eventually(LeaseLockProvider locks, LockConfiguration configuration) throws InterruptedException {
    for (int attempt = 0; attempt < 100; attempt++) {
      Optional<SimpleLock> lock = locks.lock(configuration);
      if (lock.isPresent()) return lock.get();
      Thread.sleep(100);
    }
    throw new IllegalStateException("the lock does not become free");
  }

  private static void spring() throws Exception {
    LeaseLockRegistry registry = new LeaseLockRegistry(Report.database(), "default", "a", Duration.ofSeconds(15));
    LeaseLockRegistry others = new LeaseLockRegistry(Report.database(), "default", "b", Duration.ofSeconds(15));
    LeaseLockRegistry.LeaseLock lock = registry.obtain("a Key of any kind");
    holds("a key has one lock", lock == registry.obtain("a Key of any kind"));
    holds("a free lock is acquired", lock.tryLock());
    long token = lock.token();
    holds("a lock is reentrant", lock.tryLock() && lock.token() == token);
    lock.unlock();
    holds("another process gets no held lock", !others.obtain("a Key of any kind").tryLock());
    registry.renewLock("a Key of any kind", Duration.ofSeconds(15));
    Thread thread = new Thread(() -> holds("another thread gets no held lock", !lock.tryLock()));
    thread.start();
    thread.join();
    holds("only the thread that holds a lock renews it", fails(IllegalMonitorStateException.class, () -> others.renewLock("a Key of any kind")));
    lock.unlock();
    holds("a lock that is not held has no token", fails(IllegalStateException.class, lock::token));
    registry.executeLocked("job", () -> holds("a lock runs what is given to it", registry.obtain("job").isHeld()));

    holds("threads of a process take turns, each with the lease", takeTurns(registry));

    LeaseLockRegistry.LeaseLock mine = registry.obtain("role");
    mine.lock();
    token = mine.token();
    loseRole();
    LeaseLockRegistry.LeaseLock next = others.obtain("role");
    holds("a lock that was lost is free for others, under a greater token", next.tryLock() && next.token() > token);
    holds("unlocking a lock that was lost fails", fails(ConcurrentModificationException.class, mine::unlock));
    next.unlock();
  }

  private static boolean takeTurns(LeaseLockRegistry registry) throws Exception {
    AtomicInteger held = new AtomicInteger();
    Thread[] threads = {new Thread(() -> turns(registry, held)), new Thread(() -> turns(registry, held))};
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    return held.get() == 40;
  }

  /** Twenty turns, counted if the lease still names this process when another thread had time to end its own. */
  private static void turns(LeaseLockRegistry registry, AtomicInteger held) {
    for (int turn = 0; turn < 20; turn++) {
      LeaseLockRegistry.LeaseLock lock = registry.obtain("turns");
      lock.lock();
      try (var connection = Report.database().getConnection(); var statement = connection.createStatement()) {
        Thread.sleep(20);
        var row = statement.executeQuery("select holder from coordination.leases where name = 'turns'");
        if (row.next() && row.getString(1).equals("a")) held.incrementAndGet();
      } catch (SQLException | InterruptedException error) {
        throw new IllegalStateException(error);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Takes the lease from its holder, which does not know. */
  private static void loseRole() throws Exception {
    try (var connection = Report.database().getConnection(); var statement = connection.createStatement()) {
      statement.execute("call coordination.lease_release('default', 'role', 'a')");
    }
  }

  private interface Attempt {
    void run() throws Exception;
  }

  private static boolean fails(Class<? extends Exception> with, Attempt attempt) {
    try {
      attempt.run();
      return false;
    } catch (Exception error) {
      if (!with.isInstance(error)) throw new IllegalStateException(error);
      return true;
    }
  }

  private static void holds(String contract, boolean held) {
    System.out.println((held ? "holds: " : "BROKEN: ") + contract);
  }
}
