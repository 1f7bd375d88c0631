defmodule Leader do
  def ask(method, lock, wait \\ 0) do
    headers = [{~c"authorization", ~c"Bearer " ++ env("TOKEN")}]
    tls = [verify: :verify_peer, cacertfile: env("CA_FILE")]
    request = if method == :put, do: {lock ++ ~c"&wait=#{wait}s", headers, ~c"text/plain", ""}, else: {lock, headers}

    case :httpc.request(method, request, [ssl: tls, connect_timeout: 2000, timeout: (wait + 2) * 1000], body_format: :binary) do
      {:ok, {{_, status, _}, _, body}} -> {status, String.trim(body)}
      {:error, reason} -> {0, inspect(reason)}
    end
  end

  def take(lock) do
    case ask(:put, lock, 30) do
      {200, token} -> token
      {_, why} -> IO.puts(:stderr, why) && Process.sleep(1000) && take(lock)
    end
  end

  def hold(lock, token, held_until) do
    sent = System.monotonic_time(:millisecond)
    {status, _} = ask(:put, lock)
    held_until = if status == 200, do: sent + 10_000, else: held_until

    if status != 423 and System.monotonic_time(:millisecond) <= held_until do
      # one step of the work, with the token
      Process.sleep(2000)
      hold(lock, token, held_until)
    end
  end

  def env(name), do: name |> System.fetch_env!() |> String.to_charlist()
end

:inets.start()
:ssl.start()
[lease] = System.argv()
{:ok, host} = :inet.gethostname()
holder = "#{host}_#{Base.encode16(:crypto.strong_rand_bytes(8))}"
lock = Leader.env("SERVER") ++ ~c"/apis/coordination.k8s.io/v1/namespaces/default/leases/#{lease}/lock?holder=#{holder}&duration=15s"
token = Leader.take(lock)
main = self()
System.trap_signal(:sigterm, fn -> :erlang.suspend_process(main) && Leader.ask(:delete, lock) && :ok end)
IO.puts("leading #{token}")
Leader.hold(lock, token, 0)
IO.puts("lost")
System.halt(1)
