import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

/**
 * ShedLock's locks as Leases, by the server's lock endpoint. `lockAtMostFor` is the lease's duration, and no wall clock counts. A name such as
 * `sendMails` becomes the Lease `send-mails`.
 */
public final class LeaseLockProvider implements ExtensibleLockProvider {
  /** What this process holds: the holder that the Lease names, and the fencing token. */
  public record Held(String holder, long token) {}

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final HttpClient http;
  private final String leases;
  private final String bearer;
  private final String holder;
  private final Map<String, Held> held = new ConcurrentHashMap<>();

  /** `leases` is `https://SERVER/apis/coordination.k8s.io/v1/namespaces/NAMESPACE/leases`. */
  public LeaseLockProvider(HttpClient http, String leases, String bearer, String holder) {
    this.http = http;
    this.leases = leases;
    this.bearer = bearer;
    this.holder = holder;
  }

  /** For the job, once, when it begins. */
  public Held held(String name) {
    Held now = held.get(name);
    if (now == null) throw new IllegalStateException(name + " is not locked by this process");
    return now;
  }

  @Override
  public Optional<SimpleLock> lock(LockConfiguration configuration) {
    // A holder of its own for each lock, so that one that ends late cannot free the next one of this process.
    String own = holder + "-" + UUID.randomUUID();
    long before = System.nanoTime();
    Optional<Long> token = put(configuration.getName(), own, configuration.getLockAtMostFor());
    if (System.nanoTime() - before >= configuration.getLockAtMostFor().toNanos()) return Optional.empty(); // the answer came too late
    token.ifPresent(value -> held.put(configuration.getName(), new Held(own, value)));
    return token.map(value -> new LeaseLock(configuration, new Held(own, value), before));
  }

  private Optional<Long> put(String name, String own, Duration duration) {
    long seconds = Math.max(1, duration.plusNanos(999_999_999).toSeconds());
    HttpResponse<String> answer = send("PUT", name, "?holder=" + own + "&duration=" + seconds + "s");
    if (answer.statusCode() == 423) return Optional.empty();
    if (answer.statusCode() != 200) throw new LockException(name + " cannot be locked: " + answer.body());
    return Optional.of(answer.headers().firstValueAsLong("Lease-Token").orElseThrow());
  }

  private HttpResponse<String> send(String method, String name, String query) {
    String lease = name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase().replaceAll("[^a-z0-9.]+", "-");
    HttpRequest request = HttpRequest.newBuilder(URI.create(leases + "/" + lease + "/lock" + query))
        .header("Authorization", "Bearer " + bearer).timeout(TIMEOUT).method(method, BodyPublishers.noBody()).build();
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException error) {
      throw new LockException(name + ": the server does not answer", error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new LockException(name + ": interrupted", error);
    }
  }

  private final class LeaseLock extends AbstractSimpleLock {
    private final Held mine;
    private final long since;

    LeaseLock(LockConfiguration configuration, Held mine, long since) {
      super(configuration);
      this.mine = mine;
      this.since = since;
    }

    /** Until `lockAtLeastFor` is over, the lease lasts as long as that. If it was lost (423, 404), there is nothing to free. */
    @Override
    protected void doUnlock() {
      String name = lockConfiguration.getName();
      held.remove(name, mine);
      Instant now = ClockProvider.now();
      if (lockConfiguration.getLockAtLeastUntil().isAfter(now)) {
        if (inTime()) put(name, mine.holder(), Duration.between(now, lockConfiguration.getLockAtLeastUntil()));
      } else send("DELETE", name, "?holder=" + mine.holder());
    }

    /** The token stays: writes under it are refused if somebody else had the lease in between. */
    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration longer) {
      long before = System.nanoTime();
      if (!inTime() || put(longer.getName(), mine.holder(), longer.getLockAtMostFor()).isEmpty()) return Optional.empty();
      return Optional.of(new LeaseLock(longer, mine, before));
    }

    /** A PUT after the lease has run out might take it anew. */
    private boolean inTime() {
      return System.nanoTime() - since < lockConfiguration.getLockAtMostFor().toNanos();
    }
  }
}
