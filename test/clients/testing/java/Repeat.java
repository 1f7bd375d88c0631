import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.HashMap;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the tests of a class repeatedly, and prints each result as Go does: {@code Repeat CLASS TIMES}. */
final class Repeat {
  public static void main(String[] args) {
    LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(args[0])).build();
    Launcher launcher = LauncherFactory.create();
    Results results = new Results();
    for (int times = Integer.parseInt(args[1]); times > 0; times--) launcher.execute(request, results);
    System.exit(results.failed ? 1 : 0);
  }

  private static final class Results implements TestExecutionListener {
    boolean failed;
    private final Map<TestIdentifier, Long> began = new HashMap<>();

    @Override
    public void executionStarted(TestIdentifier test) {
      began.put(test, System.nanoTime());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
      result.getThrowable().ifPresent(Throwable::printStackTrace);
      failed |= !passed;
      if (!test.isTest() && passed) return;
      double seconds = (System.nanoTime() - began.get(test)) / 1e9;
      System.out.printf("--- %s: %s (%.3fs)%n", passed ? "PASS" : "FAIL", test.getDisplayName(), seconds);
    }
  }
}
