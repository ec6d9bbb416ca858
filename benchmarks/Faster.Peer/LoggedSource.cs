using Faster.Workload;
using Faster.Workload.Writes;

namespace Faster.Peer;

/// <summary>Opens logs of the peer with a dictionary in front.</summary>
internal sealed class LoggedSource : IEngineSource
{
    /// <inheritdoc/>
    public string Name => "fasterlog-csharp";

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => shape.ValueBytes == DurableSettings.ValueBytes
        ? null
        : $"its values are of {DurableSettings.ValueBytes} bytes here";

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape) =>
        Task.Run(() => (IEngine)new LoggedEngine(folder, shape));
}
