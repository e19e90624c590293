# frozen_string_literal: true

module RetrialAgent
  # What a frame is: the application's, of a library, or ours.
  module Frames
    START = Dir.pwd.dup.freeze
    ROOTS = [START, (File.realpath(START) rescue START)].uniq.map { |folder| "#{folder.chomp('/')}/" }.freeze # rubocop:disable Style/RescueModifier
    STANDARD = RbConfig::CONFIG.values_at('rubylibdir', 'rubyarchdir', 'vendordir', 'sitedir').compact.freeze
    LAUNCHERS = [RbConfig::CONFIG['bindir'], '/usr/bin', '/usr/local/bin'].compact.uniq.freeze
    GEM = %r{/(?:gems|bundler/gems)/([A-Za-z0-9_.-]+?)-(\d[^/]*|[0-9a-f]{7,40})/}
    BLOCK = /\A(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/
    RUNNER = %r{/rspec/core/example\.rb\z} # calls an example's own code, and that of what goes around it
    TOP = /\A<(?:main|top \(required\)|(?:class|module):[^>]*|internal:[^>]*)>\z/

    @kinds = {}
    @relative = {}
    @functions = {}
    @tests = {}
    @told = {}

    class << self
      def kind(path)
        @kinds[path] ||= classify(path)
      end

      # [name, version] of the gem that a file is of; nil of other files.
      def gem_of(path)
        found = path.scan(GEM).last
        found if found && !path.include?("/#{found.join('-')}/vendor/bundle/")
      end

      def standard?(path)
        STANDARD.any? { |folder| path.start_with?("#{folder}/") }
      end

      def runner?(path)
        path.match?(RUNNER)
      end

      def test?(path)
        @tests.fetch(path) { @tests[path] = of_tests?(path) }
      end

      def add_test_file(path)
        @tests[File.expand_path(path, START)] = true
      end

      # To where Ruby was started; of a gem that is the application, to the folder of gems.
      def relative(path)
        @relative[path] ||= begin
          root = ROOTS.find { |folder| path.start_with?(folder) }
          named = kind(path) == :application && path[%r{/gems/(.+)\z}m, 1] if gem_of(path)
          named || (root ? path[root.size..] : path)
        end
      end

      # Of which function a frame is: a block is of the function that it stands in.
      def function(location)
        @functions[location.label] ||= named(location.label.to_s)
      end

      private

      def named(label)
        name = label.sub(BLOCK, '')
        return name unless name.match?(TOP)

        label == name ? name : '<anonymous>'
      end

      def classify(path)
        return :application if ['-e', '(irb)', '-'].include?(path)
        return :library if path.start_with?('<') || !path.start_with?('/')
        return :ours if path.start_with?("#{FOLDER}/")
        return application?(gem_of(path).first) ? :application : :library if gem_of(path)
        return :library if standard?(path) || LAUNCHERS.include?(File.dirname(path))

        :application
      end

      # Is a gem that is installed the application? The user says so.
      def application?(name)
        return false unless ENV['RETRIAL_APPLICATION'].to_s.split(',').any? { |one| one.strip == name }

        Events.write(ev: 'application', package: name) unless @told[name]
        @told[name] = true
      end

      def of_tests?(path)
        return false unless kind(path) == :application

        folder, base = File.split(relative(path))
        base.end_with?('_spec.rb', '_test.rb') || base.start_with?('test_') ||
          (!folder.start_with?('/') && !(folder.split('/') & %w[spec test]).empty?)
      end
    end
  end
end
