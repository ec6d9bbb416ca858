using Xunit.Abstractions;
using Xunit.Sdk;

namespace Faster.Testing;

/// <summary>Adds to each failure how to repeat the run's seeds: <see cref="TestSeed.Again"/>.</summary>
/// <remarks>Thread-safe if the inner sink is.</remarks>
/// <param name="inner">Where all messages go.</param>
internal sealed class SeedNotes(IMessageSink inner) : LongLivedMarshalByRefObject, IMessageSink
{
    /// <inheritdoc/>
    public bool OnMessage(IMessageSinkMessage message) => inner.OnMessage(
        message is ITestFailed failed
            ? new TestFailed(
                failed.Test, failed.ExecutionTime, failed.Output, failed.ExceptionTypes,
                [$"{failed.Messages[0]}{Environment.NewLine}(The seeds of this run: {TestSeed.Again})",
                    .. failed.Messages.Skip(1)],
                failed.StackTraces, failed.ExceptionParentIndices)
            : message);
}
