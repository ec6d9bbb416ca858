using Faster.Devices.Folders;

namespace Faster.Crash.Swarm;

/// <summary>The storage of a store of the swarm.</summary>
internal interface ISwarmMedium : IDisposable
{
    /// <summary>Whether it has stopped, so that every call of the store fails.</summary>
    bool HasCrashed { get; }

    /// <summary>Its files, for one opening of the store, during which it may crash.</summary>
    StoreFiles Mount();

    /// <summary>Restores it after a crash, when nothing uses it any more.</summary>
    void GoOn();
}
