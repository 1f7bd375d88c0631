import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

public final class Members {
  private static final String GROUP = "workers";
  private static final int DURATION = 10; // seconds
  private static final int BEAT = 3;
  private static final DateTimeFormatter MICRO = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX");

  private record Sighting(String version, long at) {}

  private final Map<String, Sighting> seen = new HashMap<>();

  public static void main(String[] args) throws Exception {
    String name = Connect.nameOfProcess(args);
    KubernetesClient client = Connect.client();
    var leases = client.leases().inNamespace(Connect.NAMESPACE);
    var own = leases.withName(GROUP + "-" + name);
    var beats = Executors.newSingleThreadScheduledExecutor();
    beats.scheduleAtFixedRate(() -> beat(client, name), 0, BEAT, TimeUnit.SECONDS);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  beats.shutdownNow();
                  own.delete();
                }));
    var informer = leases.withLabel("group", GROUP).runnableInformer(0);
    informer.exceptionHandler((started, error) -> true); // list again, also when the first list failed
    informer.start();
    var members = new Members();
    for (String shown = ""; ; Thread.sleep(1000)) {
      String now = informer.getStore().list().stream().filter(members::isAlive).map(l -> l.getSpec().getHolderIdentity())
          .sorted().collect(Collectors.joining(" "));
      if (!now.equals(shown)) System.out.println("members " + (shown = now));
    }
  }

  private boolean isAlive(Lease lease) {
    String version = lease.getMetadata().getResourceVersion();
    Sighting last = seen.get(lease.getMetadata().getName());
    if (last == null || !last.version().equals(version)) last = new Sighting(version, System.nanoTime());
    seen.put(lease.getMetadata().getName(), last);
    return System.nanoTime() - last.at() < TimeUnit.SECONDS.toNanos(lease.getSpec().getLeaseDurationSeconds());
  }

  /** A patch without a resourceVersion, so that it does not matter whether the answer to the last one got lost. */
  private static void beat(KubernetesClient client, String member) {
    var leases = client.leases().inNamespace(Connect.NAMESPACE);
    ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
    String patch = "{\"spec\":{\"renewTime\":\"" + MICRO.format(now) + "\"}}";
    try {
      if (leases.withName(GROUP + "-" + member).get() != null) {
        leases.withName(GROUP + "-" + member).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
        return;
      }
      leases
          .resource(
              new LeaseBuilder()
                  .withNewMetadata().withName(GROUP + "-" + member).addToLabels("group", GROUP).endMetadata()
                  .withNewSpec().withHolderIdentity(member).withLeaseDurationSeconds(DURATION).withRenewTime(now).endSpec()
                  .build())
          .create();
    } catch (RuntimeException error) { // anything that escapes ends the schedule
      System.err.println("trying again: " + error.getMessage());
    }
  }
}
