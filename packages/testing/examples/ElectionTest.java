import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ElectionTest {
  private static final Duration LEASE_DURATION = Duration.ofSeconds(3);
  /** fabric8's elector renews by patches. */
  private static final Map<String, Object> RENEWALS = Map.of("verb", "patch", "resource", "leases", "name", "worker");

  private final List<Candidate> candidates = new ArrayList<>();

  @BeforeAll
  static void startServer() {
    LeaseServer.order("reset", Map.of());
  }

  @Test
  void lostWhileWorking() throws InterruptedException {
    Candidate a = candidate("a");
    await(a.leads);
    LeaseServer.order("leases/take-over", Map.of("name", "worker", "holder", "somebody-else"));
    await(a.stopped);
  }

  @Test
  void slowRenewal() throws InterruptedException {
    Candidate a = candidate("a");
    await(a.leads);
    long began = System.nanoTime();
    fault(Map.of("hang", true, "count", 100));
    await(a.stopped);
    Duration led = Duration.ofNanos(System.nanoTime() - began);
    assertTrue(led.compareTo(LEASE_DURATION) < 0, "led for " + led + " without a renewal: another candidate may lead by then");
  }

  @Test
  void twoCandidates() throws InterruptedException {
    Candidate a = candidate("a");
    await(a.leads);
    Candidate b = candidate("b");
    a.election.cancel(true);
    await(a.stopped);
    await(b.leads);
  }

  @Test
  void restart() throws InterruptedException {
    LeaseServer.order("leases/take-over", Map.of("name", "worker", "holder", "a"));
    await(candidate("a").leads);
  }

  @Test
  void refusal() throws InterruptedException {
    Candidate a = candidate("a");
    await(a.leads);
    for (Map<String, ?> effect : List.of(Map.of("status", 409), Map.of("status", 503), Map.of("cut", "after"))) {
      fault(effect);
      while (!hasRenewed()) {
        assertFalse(a.stopped.await(10, TimeUnit.MILLISECONDS), "it stopped leading, although every refusal could be tried again");
      }
    }
  }

  @AfterEach
  void stopAll() {
    LeaseServer.order("reset", Map.of()); // so that electors can let go
    candidates.forEach(each -> each.election.cancel(true));
    LeaseServer.order("reset", Map.of());
  }

  /** An elector as in production, only faster. */
  private static final class Candidate {
    final CountDownLatch leads = new CountDownLatch(1);
    final CountDownLatch stopped = new CountDownLatch(1);
    final CompletableFuture<?> election;

    Candidate(String identity) {
      var config =
          new LeaderElectionConfigBuilder()
              .withName("worker")
              .withLock(new LeaseLock("default", "worker", identity))
              .withLeaseDuration(LEASE_DURATION)
              .withRenewDeadline(Duration.ofSeconds(1))
              .withRetryPeriod(Duration.ofMillis(50))
              .withReleaseOnCancel()
              .withLeaderCallbacks(new LeaderCallbacks(leads::countDown, stopped::countDown, leader -> {}))
              .build();
      election = LeaseServer.CLIENT.leaderElector().withConfig(config).build().start();
    }
  }

  private Candidate candidate(String identity) {
    Candidate candidate = new Candidate(identity);
    candidates.add(candidate);
    return candidate;
  }

  private static void fault(Map<String, ?> effect) {
    var fault = new HashMap<String, Object>(RENEWALS);
    fault.putAll(effect);
    LeaseServer.order("faults", fault);
  }

  /** Since the last fault. */
  private static boolean hasRenewed() {
    return LeaseServer.read("faults").equals("[]\n") && LeaseServer.read("requests?verb=patch").endsWith("\"status\":200}]\n");
  }

  private static void await(CountDownLatch event) throws InterruptedException {
    assertTrue(event.await(10, TimeUnit.SECONDS), "nothing happened for ten seconds");
  }
}
