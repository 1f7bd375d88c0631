package clients;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Typed calls, patches, apply and an informer; prints "done", or ends with an exception. */
public final class Machinery {
  private static final String NAMESPACE = "default";

  private final NonNamespaceOperation<Lease, ?, Resource<Lease>> leases;

  private Machinery(KubernetesClient client) {
    leases = client.leases().inNamespace(NAMESPACE);
  }

  public static void main(String[] args) throws InterruptedException {
    try (KubernetesClient client = Release.open()) {
      var machinery = new Machinery(client);
      machinery.typed();
      System.out.println("typed");
      if (Release.APPLIES) {
        machinery.apply();
        System.out.println("apply");
      }
      machinery.informer();
      System.out.println("informer");
    }
    System.out.println("done");
  }

  private static Lease lease(String name, String holder) {
    return new LeaseBuilder()
        .withNewMetadata().withName(name).endMetadata()
        .withNewSpec()
        .withHolderIdentity(holder)
        .withLeaseDurationSeconds(15)
        .withRenewTime(ZonedDateTime.of(2026, 1, 2, 3, 4, 5, 678901000, ZoneOffset.UTC))
        .endSpec()
        .build();
  }

  private void typed() {
    Lease created = Release.create(leases, lease("typed", "me"));
    Lease got = leases.withName("typed").get();
    check(got.equals(created), "got " + got);
    check(got.getSpec().getRenewTime().isEqual(lease("typed", "me").getSpec().getRenewTime()), "got " + got);
    check(code(() -> Release.create(leases, lease("typed", "me"))) == 409, "a second create");
    Lease edited = Release.edit(leases, "typed", one -> new LeaseBuilder(one).editSpec().withHolderIdentity("edited").endSpec().build());
    check(edited.getSpec().getHolderIdentity().equals("edited"), "edited " + edited);
    check(code(() -> Release.update(leases, got)) == 409, "a stale update");
    for (PatchType type : List.of(PatchType.JSON_MERGE, PatchType.STRATEGIC_MERGE)) {
      Lease patched = leases.withName("typed").patch(PatchContext.of(type), "{\"spec\":{\"holderIdentity\":\"" + type + "\"}}");
      check(patched.getSpec().getHolderIdentity().equals(type.toString()), "patched " + patched);
    }
    leases.withName("typed").delete();
    check(leases.withName("typed").get() == null, "still there");
  }

  private void apply() {
    Release.apply(leases, lease("applied", "a"), "one", false);
    check(code(() -> Release.apply(leases, lease("applied", "b"), "two", false)) == 409, "a conflicting apply");
    check(Release.apply(leases, lease("applied", "b"), "two", true).getSpec().getHolderIdentity().equals("b"), "a forced apply");
    leases.withName("applied").delete();
  }

  private void informer() throws InterruptedException {
    Release.create(leases, lease("before", "me"));
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    try (var informer = leases.inform(handler(events))) {
      expect(events, "added before");
      Release.create(leases, lease("after", "me"));
      expect(events, "added after");
      leases.withName("after").patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"holderIdentity\":\"other\"}}");
      expect(events, "updated after");
      leases.withName("before").delete();
      expect(events, "deleted before");
      check(informer.getStore().list().size() == 1, "cached " + informer.getStore().list());
    }
  }

  private static ResourceEventHandler<Lease> handler(BlockingQueue<String> events) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(Lease lease) {
        events.add("added " + lease.getMetadata().getName());
      }

      @Override
      public void onUpdate(Lease before, Lease lease) {
        events.add("updated " + lease.getMetadata().getName());
      }

      @Override
      public void onDelete(Lease lease, boolean finalStateUnknown) {
        events.add("deleted " + lease.getMetadata().getName());
      }
    };
  }

  private static void expect(BlockingQueue<String> events, String wanted) throws InterruptedException {
    String event = events.poll(20, TimeUnit.SECONDS);
    check(wanted.equals(event), "expected " + wanted + ", saw " + event);
  }

  private static int code(Runnable call) {
    try {
      call.run();
      return 200;
    } catch (KubernetesClientException error) {
      return error.getCode();
    }
  }

  private static void check(boolean holds, String failure) {
    if (!holds) throw new IllegalStateException(failure);
  }
}
