import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A lease server for all tests of this process, with which it ends. */
final class LeaseServer {
  private static final Config CONFIG = Config.fromKubeconfig(start());

  /** As in production, only less patient: two requests that hang and the renew deadline have to be less than the lease's duration. */
  static final KubernetesClient CLIENT =
      open(new ConfigBuilder(CONFIG).withRequestTimeout(250).withRequestRetryBackoffLimit(0).build());

  /** With connections of its own, so that a fault that cuts one is not a fault for the test. */
  private static final KubernetesClient ORDERS = open(CONFIG);

  /** Tells the server what is to happen; docs/testing.md has all orders. */
  static String order(String path, Map<String, ?> body) {
    return ORDERS.raw("/testing/" + path, "POST", body);
  }

  static String read(String path) {
    return ORDERS.raw("/testing/" + path);
  }

  private static KubernetesClient open(Config config) {
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private static String start() {
    try {
      Path kubeconfig = Files.createTempDirectory("lease-server-").resolve("kubeconfig");
      kubeconfig.getParent().toFile().deleteOnExit();
      List<String> command = new ArrayList<>(List.of(System.getenv().getOrDefault("LEASE_TEST_SERVER", "lease-test-server").split(" ")));
      command.add("--kubeconfig-out=" + kubeconfig);
      Process server = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      if (new BufferedReader(new InputStreamReader(server.getInputStream())).readLine() == null) {
        throw new IOException("the lease server did not start");
      }
      return Files.readString(kubeconfig);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
