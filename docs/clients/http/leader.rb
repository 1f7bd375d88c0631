require "net/http"
require "securerandom"
require "socket"

lease = ARGV[0] or abort "usage: ruby leader.rb LEASE"
SERVER = URI(ENV.fetch("SERVER"))
LOCK = "/apis/coordination.k8s.io/v1/namespaces/default/leases/#{lease}/lock?holder=#{Socket.gethostname}_#{SecureRandom.hex(8)}&duration=15s"

def ask(method, wait = 0) # nil if there is no answer
  tls = { use_ssl: true, ca_file: ENV.fetch("CA_FILE"), open_timeout: 2, read_timeout: wait + 2, max_retries: 0 }
  Net::HTTP.start(SERVER.host, SERVER.port, tls) do |http|
    http.send_request(method, "#{LOCK}&wait=#{wait}s", nil, "Authorization" => "Bearer #{ENV.fetch("TOKEN")}")
  end
rescue SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError => error
  warn error.message
end

def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)

until (answer = ask("PUT", 30)).is_a?(Net::HTTPOK)
  warn answer.body if answer
  sleep 1
end
token = answer.body.strip
%w[TERM INT].each { |signal| trap(signal) { exit } }
at_exit { ask("DELETE") }
$stdout.sync = true
puts "leading #{token}"
held_until = 0
loop do
  sent = clock
  answer = ask("PUT")
  held_until = sent + 10 if answer.is_a?(Net::HTTPOK)
  break if answer.is_a?(Net::HTTPLocked) || clock > held_until
  # one step of the work, with the token
  sleep 2
end
puts "lost"
exit 1
