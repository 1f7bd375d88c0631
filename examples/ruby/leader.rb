# frozen_string_literal: true

require 'logger'
require 'pg'
require 'securerandom'
require 'socket'

# Campaigns for a lease in PostgreSQL in a thread of its own. Start it after a fork; every process needs one of its own.
class Leader
  # Another process leads, or did so before the transaction was committed.
  class NotLeading < StandardError; end

  attr_reader :holder

  def initialize(url, lease, namespace: 'default', seconds: 15, holder: nil, logger: Logger.new($stderr))
    @url = url
    @lease = [namespace, lease]
    @seconds = seconds
    @holder = holder || "#{Socket.gethostname}-#{Process.pid}-#{SecureRandom.hex(4)}"
    @logger = logger
    @until = 0.0
    @mutex = Mutex.new
    @told = ConditionVariable.new
    @stopped = false
  end

  def start
    @thread = Thread.new { campaign }
    self
  end

  # Releases the lease: call it once no job runs any more.
  def stop
    @mutex.synchronize do
      @stopped = true
      @told.signal
    end
    @thread.join
  end

  # The fencing token; nil while another process leads.
  def token
    @token if now < @until
  end

  # With #unlock, what Rufus::Scheduler asks for as its `trigger_lock`: no job begins while another process leads.
  def lock
    !token.nil?
  end

  def unlock; end

  # A transaction that is committed only if no term has begun since that of the token. Raises NotLeading otherwise.
  def transaction(token)
    raise NotLeading, 'another process leads' if token.nil?

    connected do |connection|
      connection.transaction do
        connection.exec_params('select coordination.lease_assert($1, $2, $3)', [*@lease, token])
        yield connection
      end
    end
  rescue PG::Error => e
    raise NotLeading, "the token #{token} is stale" if e.result&.error_field(PG::PG_DIAG_SQLSTATE) == 'LS001'

    raise
  end

  private

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def connected
    connection = PG.connect(@url, connect_timeout: 3, tcp_user_timeout: 3000)
    yield connection
  ensure
    connection&.close
  end

  def call(procedure, *values)
    marks = (1..3 + values.size).map { |number| "$#{number}" }.join(', ')
    connected { |connection| connection.exec_params("call coordination.#{procedure}(#{marks})", [*@lease, @holder, *values]).first }
  end

  def campaign
    nil until told_within(attempt)
    return if @token.nil?

    lost
    call('lease_release')
  rescue PG::Error => e
    @logger.warn("not released: #{e.message}")
  end

  def told_within(seconds)
    @mutex.synchronize do
      @told.wait(@mutex, seconds) unless @stopped
      @stopped
    end
  end

  # Acquires or renews. The seconds until the next time: SQL counts contenders' time by their calls ("Whose clock" in docs/sql.md).
  def attempt
    before = now
    if @token
      kept = call('lease_renew', @token)['renewed'] == 't'
    else
      answer = call('lease_acquire', "#{@seconds} s")
      kept = answer['acquired'] == 't'
      began = kept && answer['token'].to_i
    end
    @until = before + @seconds * 2.0 / 3 if kept
    kept ? led(began) : lost
  rescue PG::Error => e
    @logger.warn("trying again: #{e.message}")
    lost if before >= @until
    0.75 + rand / 2
  end

  def led(began)
    if began
      @token = began
      @logger.info("leading #{@holder} #{began}")
    end
    @seconds / 6.0
  end

  def lost
    @logger.info("lost #{@holder}") if @token
    @token = nil
    0.75 + rand / 2
  end
end
