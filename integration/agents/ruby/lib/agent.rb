# frozen_string_literal: true

# Each hook waits until what it changes is there.
module RetrialAgent
  FOLDER = __dir__
end

%w[json events current frames loops chain site call peer tag wire carry hooks].each { |name| require_relative name }
