using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes what a session has in an engine whose records may expire.</summary>
internal static class ExpiryEmitter
{
    public static void Emit(IndentedWriter writer, EngineModel engine)
    {
        writer.Lines($$"""
            /// <summary>
            /// Time to live of records written by subsequent operations, restarted by each write. <c>TimeSpan.Zero</c>
            /// means that they never expire. Initially <see cref="{{engine.Options}}.TimeToLive"/>. A
            /// pending operation keeps the value with which it started.
            /// </summary>
            /// <remarks>
            /// If it is <c>TimeSpan.Zero</c>, a read-modify-write keeps the record's expiry, and an upsert removes it.
            /// The first time to live that is set in a store waits for calls in progress in other sessions, so it must
            /// not be set in a user function.
            /// </remarks>
            /// <exception cref="global::System.ArgumentOutOfRangeException">The time is negative.</exception>
            /// <exception cref="{{Names.Faster}}.SessionMisuseException">
            /// The session is closed, or in use by another call.
            /// </exception>
            public global::System.TimeSpan TimeToLive
            {
                get => _session.TimeToLive;
                set => _session.TimeToLive = value;
            }
            """);
        writer.Blank();
    }
}
