namespace Faster.Generators.Emitting;

/// <summary>Writes the event of a store that reports the faults of its background work.</summary>
internal static class FaultEmitter
{
    public static void Emit(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Raised after each internal fault that affected no operation, in order, one at a time, on a thread-pool
            /// thread. An exception thrown by a handler is counted as a fault and raises no event.
            /// </summary>
            public event global::System.EventHandler<{{Names.Faster}}.FaultEventArgs>? FaultOccurred
            {
                add => _engine.FaultOccurred += value;
                remove => _engine.FaultOccurred -= value;
            }
            """);
        writer.Blank();
    }
}
