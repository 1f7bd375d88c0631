import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

public class Lease {
  static final String NAMESPACE = "default";
  static final String NAME = "nightly-report";
  static final long DURATION = 15; // seconds
  static final String HOLDER = ManagementFactory.getRuntimeMXBean().getName() + "-" + UUID.randomUUID();

  final CountDownLatch told = new CountDownLatch(1);
  final CountDownLatch done = new CountDownLatch(1);
  long token;
  volatile long until; // by System.nanoTime()

  public static void main(String[] args) throws Exception {
    Lease lease = new Lease();
    Runtime.getRuntime().addShutdownHook(new Thread(lease::stop));
    int code = lease.acquire() && !lease.lead() ? 1 : 0;
    lease.done.countDown();
    System.exit(code);
  }

  /** At SIGTERM and Ctrl-C: waits until the lease is released. */
  void stop() {
    told.countDown();
    try {
      done.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  static Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("prepareThreshold", "0");
    properties.setProperty("socketTimeout", "5"); // ends calls over a connection that is cut
    return DriverManager.getConnection(System.getenv("DATABASE_URL"), properties);
  }

  interface Answer<T> {
    T of(ResultSet row) throws SQLException;
  }

  static <T> T call(String statement, Answer<T> answer, Object... values) throws SQLException {
    try (Connection connection = connect(); PreparedStatement call = connection.prepareStatement(statement)) {
      call.setString(1, NAMESPACE);
      call.setString(2, NAME);
      call.setString(3, HOLDER);
      for (int at = 0; at < values.length; at++) call.setObject(4 + at, values[at]);
      try (ResultSet row = call.executeQuery()) {
        row.next();
        return answer.of(row);
      }
    }
  }

  /** Waits for the lease; false if the process is told to stop. */
  boolean acquire() throws InterruptedException {
    long seen = 0;
    long since = System.nanoTime();
    while (told.getCount() > 0) {
      long before = System.nanoTime();
      try {
        String statement = "call coordination.lease_acquire(?, ?, ?, ?::interval, ?::bigint, ?::bigint)";
        long[] at = new long[1];
        boolean acquired = call(statement, row -> {
          token = row.getLong("token");
          at[0] = row.getLong("seen");
          return row.getBoolean("acquired");
        }, DURATION + " s", seen, TimeUnit.NANOSECONDS.toMillis(before - since));
        if (!acquired && at[0] != seen) {
          seen = at[0];
          since = System.nanoTime();
        }
        if (acquired) {
          heldSince(before);
          Thread renewal = new Thread(this::renew);
          renewal.setDaemon(true);
          renewal.start();
          return true;
        }
      } catch (SQLException error) {
        System.err.println("trying again: " + error.getMessage());
      }
      told.await(1000 + ThreadLocalRandom.current().nextInt(1000), TimeUnit.MILLISECONDS);
    }
    return false;
  }

  void heldSince(long before) {
    until = before + TimeUnit.SECONDS.toNanos(DURATION * 2 / 3);
  }

  boolean held() {
    return System.nanoTime() - until < 0;
  }

  void renew() {
    long wait = DURATION / 3;
    try {
      while (held() && !told.await(wait, TimeUnit.SECONDS)) {
        long before = System.nanoTime();
        try {
          if (call("call coordination.lease_renew(?, ?, ?, ?)", row -> row.getBoolean("renewed"), token)) heldSince(before);
          else until = System.nanoTime();
          wait = DURATION / 3;
        } catch (SQLException error) {
          System.err.println("trying again: " + error.getMessage());
          wait = 1;
        }
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  /** Works until the process is told to stop, and releases the lease; false if the lease is lost before. */
  boolean lead() throws InterruptedException {
    System.out.println("leading " + token);
    try {
      while (held() && told.getCount() > 0) {
        try {
          work();
        } catch (SQLException error) {
          if ("LS001".equals(error.getSQLState())) break;
          System.err.println("not written: " + error.getMessage());
        }
        told.await(1, TimeUnit.SECONDS);
      }
      if (told.getCount() == 0) {
        call("call coordination.lease_release(?, ?, ?, ?)", row -> row.getBoolean("released"), token);
        return true;
      }
    } catch (SQLException error) {
      System.err.println("not released: " + error.getMessage());
    }
    System.out.println("lost");
    return false;
  }

  void work() throws SQLException {
    try (Connection connection = connect()) {
      connection.setAutoCommit(false);
      try (PreparedStatement lease = connection.prepareStatement("select coordination.lease_assert(?, ?, ?)");
          PreparedStatement update = connection.prepareStatement("update account set balance = balance + 1 where name = 'a'")) {
        lease.setString(1, NAMESPACE);
        lease.setString(2, NAME);
        lease.setLong(3, token);
        lease.execute();
        update.execute();
        connection.commit();
      }
    }
  }
}
