using Faster.Devices;

namespace Faster.Crash.Swarm;

/// <summary>What a store of the swarm lies on.</summary>
internal interface ISwarmMedium : IDisposable
{
    /// <summary>Whether it has stopped, so that every call of the store fails.</summary>
    bool HasCrashed { get; }

    /// <summary>Its files, for one opening, in which it may crash.</summary>
    StoreFiles Mount();

    /// <summary>Goes on after a crash, when nobody uses it any more.</summary>
    void GoOn();
}
