# frozen_string_literal: true

module RetrialAgent
  # The test that is running, as the runner's hook knows it, and the phase it is in.
  module Current
    SHARED = 'shared'
    @open = [] # [id, phase], innermost last

    class << self
      def start(id, phase)
        @open << [id, phase]
        Events.write(ev: 'start', id: id, phase: phase, at: Events.now)
      end

      def end(id, phase)
        at = @open.rindex([id, phase])
        return unless at

        @open.delete_at(at)
        Events.write(ev: 'end', id: id, phase: phase, at: Events.now)
      end

      # Set-up of several tests belongs to none of them: its id is left out.
      def test
        id, phase = @open.last
        [phase == SHARED ? nil : id, phase]
      end
    end
  end
end
