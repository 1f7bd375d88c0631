<?php
if (!isset($argv[1])) die("usage: php leader.php LEASE\n");
define('LOCK', getenv('SERVER') . "/apis/coordination.k8s.io/v1/namespaces/default/leases/$argv[1]/lock?duration=15s&holder="
    . gethostname() . '_' . bin2hex(random_bytes(8)));

/** The status, 0 if there is no answer, and the body. */
function ask(string $method, int $wait = 0): array
{
    $curl = curl_init(LOCK . "&wait={$wait}s");
    curl_setopt_array($curl, [CURLOPT_CUSTOMREQUEST => $method, CURLOPT_CAINFO => getenv('CA_FILE'), CURLOPT_TIMEOUT => $wait + 2,
        CURLOPT_HTTPHEADER => ['Authorization: Bearer ' . getenv('TOKEN')], CURLOPT_RETURNTRANSFER => true]);
    $body = curl_exec($curl);
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $body === false ? curl_error($curl) : trim($body)];
}

for ([$status, $token] = ask('PUT', 30); $status !== 200; [$status, $token] = ask('PUT', 30)) {
    fwrite(STDERR, "$token\n");
    sleep(1);
}
pcntl_async_signals(true);
foreach ([SIGTERM, SIGINT] as $signal) pcntl_signal($signal, fn() => exit(0));
register_shutdown_function(fn() => ask('DELETE'));
echo "leading $token\n";
for ($heldUntil = 0; ; sleep(2)) {
    $sent = hrtime(true) / 1e9;
    [$status] = ask('PUT');
    if ($status === 200) $heldUntil = $sent + 10;
    if ($status === 423 || hrtime(true) / 1e9 > $heldUntil) break;
    // one step of the work, with the token
}
echo "lost\n";
exit(1);
