import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/** The job of both programs: a write that is committed only under a valid fencing token. */
final class Report {
  private static final String LEASE = System.getenv().getOrDefault("LEASE", "nightly-report");
  private static final String TABLE = System.getenv().getOrDefault("REPORT_TABLE", "report");

  private Report() {}

  static String holder() {
    String own = System.getenv("LEASE_HOLDER");
    return own != null ? own : ManagementFactory.getRuntimeMXBean().getName() + "-" + UUID.randomUUID();
  }

  static PGSimpleDataSource database() {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(System.getenv("JDBC_URL"));
    database.setPrepareThreshold(0);
    database.setConnectTimeout(3);
    database.setSocketTimeout(5);
    return database;
  }

  static void leading(String holder, long token) {
    System.out.println("leading " + holder + " " + token);
  }

  static void lost(String holder) {
    System.out.println("lost " + holder);
  }

  static void write(String holder, long token) throws SQLException, InterruptedException {
    Thread.sleep(600); // the work
    try (Connection connection = database().getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement lease = connection.prepareStatement("select coordination.lease_assert('default', ?, ?)");
          PreparedStatement insert = connection.prepareStatement("insert into " + TABLE + " (token, writer) values (?, ?)")) {
        lease.setString(1, LEASE);
        lease.setLong(2, token);
        lease.execute();
        insert.setLong(1, token);
        insert.setString(2, holder);
        insert.execute();
        connection.commit();
        System.out.println("written " + token);
      }
    } catch (SQLException error) {
      if (!"LS001".equals(error.getSQLState())) throw error;
      System.out.println("refused " + token);
    }
  }
}
