using Faster.Workload;

namespace Faster.Peer;

/// <summary>Opens stores of the peer that run transactions.</summary>
internal sealed class LockableSource : IEngineSource
{
    /// <inheritdoc/>
    public string Name => "faster-csharp-lockable";

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape) =>
        Task.FromResult<IEngine>(new LockableEngine(shape));
}
