namespace Faster.Peer;

/// <summary>How the peer is used.</summary>
internal enum PeerMode
{
    /// <summary>The default setup: locks around records, epoch protection taken by every call.</summary>
    Safe,

    /// <summary>
    /// The fastest setup: no locks (updates bring their own atomics), epochs held for a whole chunk of keys.
    /// </summary>
    Best,
}
