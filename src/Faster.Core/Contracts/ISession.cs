using System.ComponentModel;

namespace Faster;

/// <summary>
/// A session of any class and engine. The <c>ISession</c> of a class derives from it, and has the operations. Its
/// bodies are those of a fake, and of sessions whose operations are never pending.
/// </summary>
/// <remarks>Not thread-safe: it may move between threads, but its calls must not overlap.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ISession : IAsyncDisposable, IDisposable
{
    /// <inheritdoc cref="LogSessions.LogSession.PendingCount"/>
    int PendingCount => 0;

    /// <inheritdoc cref="LogSessions.LogSession.CompletePending"/>
    bool CompletePending(bool wait) => true;

    /// <inheritdoc cref="LogSessions.LogSession.CompletePendingAsync"/>
    ValueTask CompletePendingAsync(CancellationToken cancellationToken = default) => ValueTask.CompletedTask;

    void IDisposable.Dispose() => GC.SuppressFinalize(this);

    ValueTask IAsyncDisposable.DisposeAsync()
    {
        Dispose();
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
