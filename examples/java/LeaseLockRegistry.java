import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Spring Integration's locks as leases in PostgreSQL. They are renewed while they are held. A key that is no name of a Lease is hashed; Leases stay,
 * so keys should be few.
 */
public final class LeaseLockRegistry implements RenewableLockRegistry<LeaseLockRegistry.LeaseLock> {
  /** How often contenders ask: see "Whose clock" in docs/sql.md. */
  private static final long ASK_MS = 750;

  private final DataSource database;
  private final String namespace;
  private final String holder;
  private final Duration usual;
  private final Map<String, LeaseLock> locks = new ConcurrentHashMap<>();
  private final ScheduledExecutorService renewals = Executors.newScheduledThreadPool(2, task -> {
    Thread thread = new Thread(task, "lease-renewals");
    thread.setDaemon(true);
    return thread;
  });

  public LeaseLockRegistry(DataSource database, String namespace, String holder, Duration ttl) {
    this.database = database;
    this.namespace = namespace;
    this.holder = holder;
    this.usual = ttl;
  }

  @Override
  public LeaseLock obtain(Object key) {
    String name = key.toString();
    boolean valid = name.length() <= 230 && name.matches("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");
    return locks.computeIfAbsent(valid ? name : "lock-" + UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)), LeaseLock::new);
  }

  @Override
  public void renewLock(Object key) {
    renewLock(key, usual);
  }

  @Override
  public void renewLock(Object key, Duration ttl) {
    LeaseLock lock = obtain(key);
    if (!lock.local.isHeldByCurrentThread()) throw new IllegalMonitorStateException("not held by this thread: " + key);
    lock.renew();
    if (!lock.isHeld()) throw new ConcurrentModificationException("the lease was lost: " + key);
  }

  private interface Answer<T> {
    T of(ResultSet row) throws SQLException;
  }

  private <T> T call(String procedure, String lease, Object value, Answer<T> answer, Object... seen) throws SQLException {
    String marks = (value instanceof Duration ? "?::interval" : "?") + ", ?::bigint".repeat(seen.length);
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(true);
      try (PreparedStatement call = connection.prepareStatement("call coordination." + procedure + "(?, ?, ?, " + marks + ")")) {
        call.setString(1, namespace);
        call.setString(2, lease);
        call.setString(3, holder);
        call.setObject(4, value instanceof Duration duration ? duration.toMillis() + " ms" : value);
        for (int at = 0; at < seen.length; at++) call.setObject(5 + at, seen[at]);
        try (ResultSet row = call.executeQuery()) {
          row.next();
          return answer.of(row);
        }
      }
    }
  }

  public final class LeaseLock implements DistributedLock {
    private final ReentrantLock local = new ReentrantLock();
    private final String lease;
    private volatile long token;
    private volatile long until = System.nanoTime(); // two thirds of the ttl after the last renewal was sent
    private Duration ttl = usual;
    private Future<?> renewal;
    private long seen; // the revision of somebody else's lease
    private long since = System.nanoTime(); // since when it has been seen unchanged

    private LeaseLock(String lease) {
      this.lease = lease;
    }

    public boolean isHeld() {
      return System.nanoTime() - until < 0;
    }

    /** The fencing token. */
    public long token() {
      long current = token;
      if (!isHeld()) throw new IllegalStateException(lease + " is not held by this process");
      return current;
    }

    @Override
    public boolean tryLock(Duration wait, Duration time) throws InterruptedException {
      long end = System.nanoTime() + wait.toNanos();
      if (!local.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) return false;
      if (local.getHoldCount() > 1) {
        if (isHeld()) return true;
        lost();
        return false;
      }
      boolean acquired = false;
      try {
        while (!(acquired = acquire(time)) && end - System.nanoTime() > 0) {
          Thread.sleep(Math.max(1, Math.min(ASK_MS, (end - System.nanoTime()) / 1_000_000)));
        }
        return acquired;
      } finally {
        if (!acquired) local.unlock();
      }
    }

    private boolean acquire(Duration time) {
      long before = System.nanoTime();
      try {
        boolean acquired = call("lease_acquire", lease, time, row -> {
          token = row.getLong("token");
          if (row.getLong("seen") != seen) {
            seen = row.getLong("seen");
            since = System.nanoTime();
          }
          return row.getBoolean("acquired");
        }, seen, TimeUnit.NANOSECONDS.toMillis(before - since));
        if (!acquired) return false;
      } catch (SQLException error) {
        throw new IllegalStateException(lease + " cannot be locked", error);
      }
      ttl = time;
      until = before + time.toNanos() * 2 / 3;
      if (!isHeld()) return false; // the answer came too late
      renewal = renewals.scheduleWithFixedDelay(this::renew, time.toMillis() / 6, time.toMillis() / 6, TimeUnit.MILLISECONDS);
      return true;
    }

    /** After an error the lock is held for as long as it was. */
    private void renew() {
      long before = System.nanoTime();
      if (before - until >= 0) return;
      try {
        boolean renewed = call("lease_renew", lease, token, row -> row.getBoolean("renewed"));
        if (isHeld()) until = renewed ? before + ttl.toNanos() * 2 / 3 : before;
      } catch (SQLException error) {
        System.getLogger("leases").log(System.Logger.Level.WARNING, lease + " is not renewed: " + error.getMessage());
      }
    }

    private void lost() {
      renewal.cancel(false);
      while (local.isHeldByCurrentThread()) local.unlock();
    }

    /** As Spring's own locks: an exception if the lock was lost. */
    @Override
    public void unlock() {
      if (!local.isHeldByCurrentThread()) throw new IllegalMonitorStateException("not held by this thread: " + lease);
      if (local.getHoldCount() > 1) {
        local.unlock();
        return;
      }
      boolean held = isHeld();
      renewal.cancel(false);
      try {
        if (!call("lease_release", lease, token, row -> row.getBoolean("released")) || !held) {
          throw new ConcurrentModificationException("the lease was lost: " + lease);
        }
      } catch (SQLException error) {
        throw new IllegalStateException(lease + " is not released; it expires", error);
      } finally {
        // Only now: another thread of this process, under the same holder, would lose its lease to the release.
        until = System.nanoTime();
        lost();
      }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
      return tryLock(Duration.of(time, unit.toChronoUnit()), usual);
    }

    @Override
    public boolean tryLock() {
      try {
        return tryLock(Duration.ZERO, usual);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
      while (!tryLock(Duration.ofSeconds(10), usual)) continue;
    }

    @Override
    public void lock() {
      lock(usual);
    }

    @Override
    public void lock(Duration time) {
      boolean interrupted = false;
      while (true) {
        try {
          if (tryLock(Duration.ofSeconds(10), time)) break;
        } catch (InterruptedException error) {
          interrupted = true;
        }
      }
      if (interrupted) Thread.currentThread().interrupt();
    }

    @Override
    public Condition newCondition() {
      throw new UnsupportedOperationException("a lease has no conditions");
    }
  }
}
