# frozen_string_literal: true

# Loaded by Ruby at its start (RUBYOPT=-r<this file>): starts the agent where RETRIAL_EVENTS is set (docs/agents.md).
# It takes no library of Ruby's but what the interpreter has in itself: which version of one a program gets, its Gemfile says.
begin
  require_relative 'lib/agent' if ENV['RETRIAL_EVENTS']
rescue StandardError, LoadError # an agent never fails the program it is in
  nil
end
