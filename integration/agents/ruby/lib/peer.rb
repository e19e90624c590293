# frozen_string_literal: true

module RetrialAgent
  # Who reads what a connection carries: a tag is sent only where Retrial's proxy takes it out again (docs/agents.md).
  module Peer
    KEY_ID = "\x06\x03\x55\x1d\x0e\x04\x16\x04\x14".b # subjectKeyIdentifier of 20 bytes, RFC 5280 4.2.1.2
    ISSUER = "\x80\x14".b # keyIdentifier of the authorityKeyIdentifier, 4.2.1.1
    @known = ObjectSpace::WeakMap.new # socket -> the answer

    class << self
      def ours?(socket)
        return @known[socket] if @known.key?(socket)

        @known[socket] = Events.guarded('peer') { socket.respond_to?(:peer_cert) ? shown?(socket) : near?(socket) } || false
      end

      # Loopback and private addresses, as the proxy has it.
      def near_address?(address)
        address = address.downcase.delete_prefix('::ffff:')
        return address == '::1' || address.match?(/\Af[cd][0-9a-f]{2}:/) if address.include?(':')

        first, second = address.split('.').first(2).map(&:to_i)
        [10, 127].include?(first) || (first == 192 && second == 168) || (first == 172 && second.between?(16, 31))
      end

      private

      def near?(socket)
        peer = Addrinfo.new(socket.getpeername)
        peer.ip? && near_address?(peer.ip_address)
      end

      def shown?(socket)
        der = socket.peer_cert&.to_der
        !der.nil? && authorities.any? { |issuer| der.b.include?(issuer) }
      end

      # The bytes by which leaves name the authorities in $RETRIAL_CA.
      def authorities
        @authorities ||= (CA ? CA.scan(/-----BEGIN CERTIFICATE-----(.*?)-----END/m).flatten : []).filter_map do |text|
          der = text.unpack1('m').b
          at = der.index(KEY_ID)
          ISSUER + der[at + KEY_ID.size, 20] if at
        end
      end
    end

    # Now: a test may replace File, or the environment.
    CA = ENV['RETRIAL_CA'].to_s.empty? ? nil : Events.guarded('RETRIAL_CA') { File.binread(ENV['RETRIAL_CA']) }
  end
end
