using Faster.Workload;

namespace Faster.Peer;

/// <summary>Opens stores of the peer of any shape.</summary>
internal sealed class PeerSource(PeerMode mode) : IEngineSource
{
    /// <inheritdoc/>
    public string Name => NameOf(mode);

    /// <summary>The name of the peer in a mode.</summary>
    public static string NameOf(PeerMode mode) => mode == PeerMode.Best ? "faster-csharp" : "faster-csharp-safe";

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape) => Task.FromResult<IEngine>(
        shape.ValueBytes switch
        {
            8 => new PeerEngine<long>(mode, folder, shape),
            32 => new PeerEngine<Bytes32>(mode, folder, shape),
            100 => new PeerEngine<Bytes100>(mode, folder, shape),
            256 => new PeerEngine<Bytes256>(mode, folder, shape),
            1024 => new PeerEngine<Bytes1024>(mode, folder, shape),
            _ => throw new NotSupportedException($"The peer has no store of values of {shape.ValueBytes} bytes here."),
        });
}
