package clients;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.function.UnaryOperator;

/** What fabric8 6 and 7 call differently from 5. */
final class Release {
  static final boolean APPLIES = true;

  static KubernetesClient open() {
    return new KubernetesClientBuilder().build();
  }

  static Lease create(NonNamespaceOperation<Lease, ?, Resource<Lease>> leases, Lease lease) {
    return leases.resource(lease).create();
  }

  /** Fails with 409 when the lease is not as it was read. */
  static Lease update(NonNamespaceOperation<Lease, ?, Resource<Lease>> leases, Lease read) {
    return leases.resource(read).lockResourceVersion(read.getMetadata().getResourceVersion()).update();
  }

  static Lease edit(NonNamespaceOperation<Lease, ?, Resource<Lease>> leases, String name, UnaryOperator<Lease> edit) {
    return leases.withName(name).edit(edit);
  }

  static Lease apply(NonNamespaceOperation<Lease, ?, Resource<Lease>> leases, Lease lease, String manager, boolean force) {
    var context =
        new PatchContext.Builder().withPatchType(PatchType.SERVER_SIDE_APPLY).withFieldManager(manager).withForce(force).build();
    return leases.resource(lease).patch(context);
  }
}
