import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** One leader by Spring Integration's LockRegistryLeaderInitiator, whose role is the name of the Lease. */
public class SpringApp {
  public static void main(String[] args) throws InterruptedException {
    String role = System.getenv().getOrDefault("LEASE", "nightly-report");
    Duration ttl = Duration.ofSeconds(Long.parseLong(System.getenv().getOrDefault("LEASE_SECONDS", "15")));
    String holder = Report.holder();
    LeaseLockRegistry locks = new LeaseLockRegistry(Report.database(), "default", holder, ttl);
    DefaultCandidate candidate = new DefaultCandidate(holder, role) {
      @Override
      public void onGranted(Context context) {
        Report.leading(holder, locks.obtain(role).token());
      }

      @Override
      public void onRevoked(Context context) {
        Report.lost(holder);
      }
    };
    LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(locks, candidate);
    initiator.start();
    CountDownLatch told = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      initiator.destroy();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
      while (locks.obtain(role).isHeld() && System.nanoTime() < end) Thread.onSpinWait(); // the initiator's thread unlocks
    }));
    while (!told.await(1, TimeUnit.SECONDS)) {
      if (!locks.obtain(role).isHeld()) continue;
      try {
        Report.write(holder, locks.obtain(role).token());
      } catch (IllegalStateException | SQLException error) {
        System.out.println("failed " + error.getMessage());
      }
    }
  }
}
