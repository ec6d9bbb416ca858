using Microsoft.AspNetCore.SignalR;

namespace Faster.Hosting.Tests.Patterns;

/// <summary>A hub of SignalR, as the guide shows it.</summary>
public sealed class WordHub(Words.Session session) : Hub
{
    public async Task<long> CountAsync(string word)
    {
        await session.RmwAsync(word, 1);
        return (await session.ReadAsync(word)).Value;
    }
}
