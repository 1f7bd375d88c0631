package clients;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;

/** Campaigns for a Lease and prints "leading ID", "lost ID" and "leader ID" (the leader it observes): {@code Elect LEASE ID}. */
public final class Elect {
  public static void main(String[] args) {
    String name = args[0];
    String identity = args[1];
    try (KubernetesClient client = Release.open()) {
      var callbacks =
          new LeaderCallbacks(
              () -> System.out.println("leading " + identity),
              () -> System.out.println("lost " + identity),
              leader -> System.out.println("leader " + leader));
      var config =
          new LeaderElectionConfigBuilder()
              .withName(name)
              .withLock(new LeaseLock("default", name, identity))
              .withLeaseDuration(Duration.ofSeconds(3))
              .withRenewDeadline(Duration.ofSeconds(2))
              .withRetryPeriod(Duration.ofMillis(500))
              .withLeaderCallbacks(callbacks)
              .build();
      client.leaderElector().withConfig(config).build().run();
    }
  }
}
