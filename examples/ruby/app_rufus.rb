# frozen_string_literal: true

require 'rufus-scheduler'
require_relative 'leader'

$stdout.sync = true
table = ENV.fetch('REPORT_TABLE', 'report')
leader = Leader.new(
  ENV.fetch('DATABASE_URL'),
  ENV.fetch('LEASE', 'nightly-report'),
  seconds: ENV.fetch('LEASE_SECONDS', '15').to_f,
  holder: ENV['LEASE_HOLDER'],
  logger: Logger.new($stdout, formatter: ->(_, _, _, message) { "#{message}\n" })
).start
scheduler = Rufus::Scheduler.new(trigger_lock: leader)

scheduler.every '1s' do
  token = leader.token # once, when the job begins
  next if token.nil?

  sleep 0.6 # the work
  begin
    leader.transaction(token) do |transaction|
      transaction.exec_params("insert into #{table} (token, writer) values ($1, $2)", [token, leader.holder])
    end
    puts "written #{token}"
  rescue Leader::NotLeading
    puts "refused #{token}"
  end
end

told = Queue.new
%w[INT TERM].each { |signal| trap(signal) { told << signal } }
told.pop
scheduler.shutdown(:wait)
leader.stop
