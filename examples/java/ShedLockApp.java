import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.sql.SQLException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

@Configuration
@EnableScheduling
@EnableSchedulerLock(defaultLockAtMostFor = "10m")
public class ShedLockApp {
  public static void main(String[] args) {
    new AnnotationConfigApplicationContext(ShedLockApp.class).registerShutdownHook();
  }

  @Bean
  LeaseLockProvider lockProvider() throws Exception {
    HttpClient http = HttpClient.newBuilder().sslContext(trusting(Path.of(System.getenv("CA_FILE")))).build();
    String leases = System.getenv("SERVER") + "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    return new LeaseLockProvider(http, leases, System.getenv("TOKEN"), Report.holder());
  }

  @Bean
  Jobs jobs(LeaseLockProvider locks) {
    return new Jobs(locks);
  }

  private static SSLContext trusting(Path authority) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream pem = Files.newInputStream(authority)) {
      store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  static class Jobs {
    private final LeaseLockProvider locks;

    Jobs(LeaseLockProvider locks) {
      this.locks = locks;
    }

    @Scheduled(fixedDelay = 1000)
    @SchedulerLock(name = "${LEASE:nightlyReport}", lockAtMostFor = "${LEASE_SECONDS:60}s", lockAtLeastFor = "${LEASE_AT_LEAST:0}s")
    public void report() throws SQLException, InterruptedException {
      LeaseLockProvider.Held held = locks.held(System.getenv().getOrDefault("LEASE", "nightlyReport"));
      Report.leading(held.holder(), held.token());
      Report.write(held.holder(), held.token());
      Report.lost(held.holder());
    }
  }
}
