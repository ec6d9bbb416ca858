using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes what a store has in an engine whose log can be followed: subscriptions.</summary>
internal static class SubscriptionEmitter
{
    private const string Enumerable = "global::System.Collections.Generic.IAsyncEnumerable";

    public static void Emit(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Follows the log's tail. Returns each record once it is immutable, in the order of the log, and a gap
            /// where records were truncated before they were returned. Ends when the store closes.
            /// </summary>
            /// <param name="options">Where to start and which records to return; null for records from now on.</param>
            /// <param name="cancellationToken">Ends the subscription.</param>
            public {{Enumerable}}<{{Names.Faster}}.LogEntry<Record>> SubscribeAsync(
                {{Names.Faster}}.SubscribeOptions? options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.SubscribeAsync(options, ToRecord, cancellationToken);
            """);
        writer.Blank();
    }
}
