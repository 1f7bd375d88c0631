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
    @seen = nil
    @since = now
    @mutex = Mutex.new
    @told = ConditionVariable.new
    @stopped = false
  end

  def start
    @thread = Thread.new { campaign }
    self
  end

  # Releases the lease: call it once no job runs any more. If PostgreSQL does not answer, the lease expires.
  def stop
    @mutex.synchronize do
      @stopped = true
      @told.signal
    end
    @thread.join(@seconds)
  end

  # The fencing token; nil while another process leads or may do so, by the monotonic clock.
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
    limits = { connect_timeout: 3, tcp_user_timeout: 3000, keepalives_idle: 3, keepalives_interval: 1, keepalives_count: 3 }
    connection = PG.connect(@url, **limits)
    yield connection
  ensure
    connection&.close
  end

  def call(procedure, value, *seen)
    marks = ['$1, $2, $3, $4', *seen.each_index.map { |at| "$#{at + 5}::bigint" }].join(', ')
    connected { |connection| connection.exec_params("call coordination.#{procedure}(#{marks})", [*@lease, @holder, value, *seen]).first }
  end

  def campaign
    nil until told_within(attempt)
    return if @token.nil?

    held = @token
    lost
    call('lease_release', held)
  rescue PG::Error => e
    @logger.warn("not released: #{e.message}")
  end

  def told_within(seconds)
    @mutex.synchronize do
      @told.wait(@mutex, seconds) unless @stopped
      @stopped
    end
  end

  # Acquires or renews; the seconds until the next time.
  def attempt
    before = now
    return kept(@token, before) if @token && call('lease_renew', @token)['renewed'] == 't'

    lost
    before = now
    answer = call('lease_acquire', "#{@seconds} s", @seen, ((before - @since) * 1000).to_i)
    @seen, @since = answer['seen'], now if answer['seen'] != @seen
    answer['acquired'] == 't' ? kept(answer['token'].to_i, before) : 0.75 + rand / 2
  rescue PG::Error => e
    @logger.warn("trying again: #{e.message}")
    lost if now >= @until
    0.75 + rand / 2
  end

  # Counts from before the call: `token` is nil from two thirds of the duration on, whatever this thread waits for.
  def kept(token, before)
    @logger.info("leading #{@holder} #{token}") if @token != token
    @token = token
    @until = before + @seconds * 2.0 / 3
    @seconds / 6.0
  end

  def lost
    @logger.info("lost #{@holder}") if @token
    @token = nil
  end
end
