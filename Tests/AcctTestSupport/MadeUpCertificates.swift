/// Certificates of clients and their keys that were made up for tests, in PEM; most are valid from 2020 to 2048.
package enum MadeUpCertificates {
  /// A client's certificate on P-256, and that of its authority.
  package static let p256 = """
    -----BEGIN CERTIFICATE-----
    MIIBIjCByaADAgECAhRCNNgyAQmOwzQckHwnrf7aXsMgXjAKBggqhkjOPQQDAjAS
    MRAwDgYDVQQDDAdtYWRlIHVwMB4XDTIwMDEwMTAwMDAwMFoXDTQ5MDEwMTAwMDAw
    MFowETEPMA0GA1UEAwwGY2xpZW50MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    NY7uSpgclAwhxIrzBjd1H71Ct52PcQjwJTDl1AJVjL7zMUhk7X/YvfGBWkCp8RnJ
    jSicIy7RHpplTlfSvrXylTAKBggqhkjOPQQDAgNIADBFAiBybBMBPo9ifYTL7B7w
    hPUhL1qgm3rEJObvGqBr90NYKQIhAI+OQFGUq/RdWAzUmbS3W8GdrZpfnNWfBGlJ
    5nPBZlXK
    -----END CERTIFICATE-----
    -----BEGIN CERTIFICATE-----
    MIIBODCB36ADAgECAhQOpTfd4jx86/lOJo7l6wv9lL6cSDAKBggqhkjOPQQDAjAS
    MRAwDgYDVQQDDAdtYWRlIHVwMB4XDTIwMDEwMTAwMDAwMFoXDTQ5MDEwMTAwMDAw
    MFowEjEQMA4GA1UEAwwHbWFkZSB1cDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
    BOcAQm+Ho4rfHD2sXnRCNh4J422/pbgBn7EW2URAln6YR4qHzBK35HKf+6eilJFZ
    DbMFaUOkA9C8av1H/HcRcy+jEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0E
    AwIDSAAwRQIhAIziXCceY8J1nYYmEmY5k1sQiSAv8zaCyOT0BJa+hmDMAiBhmxNA
    L4SbHCzbfCOfh6aFrS6Sypr6vNIPmV8KIXPwdQ==
    -----END CERTIFICATE-----
    """

  /// Its key in PKCS #8.
  package static let p256Key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmzes/41ZQgvLfkq8
    ILRj7sjYdeTom9f0YZ+AsNa5fJ6hRANCAAQ1ju5KmByUDCHEivMGN3UfvUK3nY9x
    CPAlMOXUAlWMvvMxSGTtf9i98YFaQKnxGcmNKJwjLtEemmVOV9K+tfKV
    -----END PRIVATE KEY-----
    """

  /// The same key in SEC 1.
  package static let p256SEC1Key = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIJs3rP+NWUILy35KvCC0Y+7I2HXk6JvX9GGfgLDWuXyeoAoGCCqGSM49
    AwEHoUQDQgAENY7uSpgclAwhxIrzBjd1H71Ct52PcQjwJTDl1AJVjL7zMUhk7X/Y
    vfGBWkCp8RnJjSicIy7RHpplTlfSvrXylQ==
    -----END EC PRIVATE KEY-----
    """

  /// `x5t#S256` of ``p256``.
  package static let p256Thumbprint = "u6ct5OoxZs484uWIXMxiLJTQWa7tidMrfZpflidmrKo"

  /// A certificate for ``p256Key`` that ends on 2027-01-25, ten days after the day of recorded worlds.
  package static let ending = """
    -----BEGIN CERTIFICATE-----
    MIIBITCByaADAgECAhRO0KBO4dfwVna+N1q8D0F9CzMZOjAKBggqhkjOPQQDAjAS
    MRAwDgYDVQQDDAdtYWRlIHVwMB4XDTIwMDEwMTAwMDAwMFoXDTI3MDEyNTAwMDAw
    MFowETEPMA0GA1UEAwwGY2xpZW50MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    NY7uSpgclAwhxIrzBjd1H71Ct52PcQjwJTDl1AJVjL7zMUhk7X/YvfGBWkCp8RnJ
    jSicIy7RHpplTlfSvrXylTAKBggqhkjOPQQDAgNHADBEAiB5Qg3ZVrWQLxWRdXuO
    hUC/oH5VcqF5bpSKLCQB12wg7gIgd0kcqx1m4n0YisZvUwO1SjLRNiDicCDHk33I
    fd0Xd6M=
    -----END CERTIFICATE-----
    """

  /// `x5t#S256` of ``ending``.
  package static let endingThumbprint = "USUrgUoA2VESg2TW3WVidOXYAAVrx4GkzjGBulTEFog"

  /// A certificate for ``p256Key`` that ended on 2027-01-01.
  package static let ended = """
    -----BEGIN CERTIFICATE-----
    MIIBIzCByaADAgECAhQaA6Q6Ea47Qyb1Xn4hz+TskN+kvTAKBggqhkjOPQQDAjAS
    MRAwDgYDVQQDDAdtYWRlIHVwMB4XDTIwMDEwMTAwMDAwMFoXDTI3MDEwMTAwMDAw
    MFowETEPMA0GA1UEAwwGY2xpZW50MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    NY7uSpgclAwhxIrzBjd1H71Ct52PcQjwJTDl1AJVjL7zMUhk7X/YvfGBWkCp8RnJ
    jSicIy7RHpplTlfSvrXylTAKBggqhkjOPQQDAgNJADBGAiEA+f0ML/8hI8ExOWL1
    8xHocZQhZMDSFhQZa8oShPP4ROICIQCdnCzk6fWSyAQqnsqrGcCA6WC0AiCnnBiu
    iZ2v1SmmZQ==
    -----END CERTIFICATE-----
    """

  /// A certificate on P-384, signed by itself.
  package static let p384 = """
    -----BEGIN CERTIFICATE-----
    MIIBZTCB66ADAgECAhRjSaE99ahx5xa+DqwCUtkTfgqiejAKBggqhkjOPQQDAjAU
    MRIwEAYDVQQDDAljbGllbnQzODQwHhcNMjAwMTAxMDAwMDAwWhcNNDkwMTAxMDAw
    MDAwWjAUMRIwEAYDVQQDDAljbGllbnQzODQwdjAQBgcqhkjOPQIBBgUrgQQAIgNi
    AARIgND2XVmot82R7ve+sosBYdzM9HFffDvePZtDs3VR/Q8nZUrRj1S7rSYNj7Cd
    FkSFeuNyq4g6FdCIcQrIbcEAIONODO1KCCq8v1AfZuynvYTlk7wqOA+7lFlxIZs2
    BxwwCgYIKoZIzj0EAwIDaQAwZgIxAJZuoC6yEFgv1vg1ye3qcZcUD643ps1VEsAp
    5/eeZ3qN+kbSOCsbpcVjUzFr5bRVggIxAIvBKArJZcnd0adlGX9+U7p404LvBXwL
    zqo97QAm2B74tjJiVYw9J2lxuHDrjoGQpA==
    -----END CERTIFICATE-----
    """

  /// Its key.
  package static let p384Key = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDC90mPLY/zpj7ODGAXm
    r2bTpuzOJ1Tx0vQB7tf2zzxFNNw9xxzxgGD6ETDi2QZx6VqhZANiAARIgND2XVmo
    t82R7ve+sosBYdzM9HFffDvePZtDs3VR/Q8nZUrRj1S7rSYNj7CdFkSFeuNyq4g6
    FdCIcQrIbcEAIONODO1KCCq8v1AfZuynvYTlk7wqOA+7lFlxIZs2Bxw=
    -----END PRIVATE KEY-----
    """

  /// `x5t#S256` of ``p384``.
  package static let p384Thumbprint = "Sn0zv6OWYxiLc4fNtwABND7YfNwtsCBpt9xrsg-DTuE"

  /// A certificate with an RSA key, signed by itself.
  package static let rsa = """
    -----BEGIN CERTIFICATE-----
    MIICtDCCAZygAwIBAgIUQQQZMthXdOvIKY52MZv88noho4kwDQYJKoZIhvcNAQEL
    BQAwFDESMBAGA1UEAwwJY2xpZW50UlNBMB4XDTIwMDEwMTAwMDAwMFoXDTQ5MDEw
    MTAwMDAwMFowFDESMBAGA1UEAwwJY2xpZW50UlNBMIIBIjANBgkqhkiG9w0BAQEF
    AAOCAQ8AMIIBCgKCAQEA2lhwEVfSG/uarhBlleqwLegBR5kY0J3Pogu0A5Ybf4oC
    Jy9ls8OEl+D21iJlQdGJR8XUk/frbUW2MkP+e3XoWm/EiB6ZSa7p0nHVFdRbKw0V
    vRRm7LH27jvikrs5ViMb9R0HVTWDaeYzfJ87q97N/u2Lz1qkBqkQZx0eJhuw+FSI
    yZsPGzxyyJnWvDAzZqEtcofJ9gcPZifdSjORy6YquOfpDpRHiUPzP+eZXgnDM5OF
    nxYSvLtV6hNHMyEzL+ZZn5mpHMWyZkF6dB96jOoghWgg96cqJquypK3ccGVsN/9F
    aAJ4DNG8JBEDS4ZCW/effaJdGE0XCyZllwtdZrFRCQIDAQABMA0GCSqGSIb3DQEB
    CwUAA4IBAQA0NLX+pHRk2I4hkFmbNZALdRc0WjBBdu0STC5muxvNo6lGFdgCVPQ8
    /OwOt30gFixn26U3AFHX3YIgzgzTVLWCmaWKBBAHUYPoyq04eYbgcXb6m5tTNnen
    uLk21kNVmgyDfqYrZwyGvYN9XvfzEUQHsuCR7lrSdxgai3+iyFGFuf1OBZG3dwdd
    5N4wFyV6+qu37NwTXkLY3w2hKMcSkSArfKnF2/hT8/KyJ7Yd+nbSveTX8Obk6n4a
    7mCfrKjzk/v64YoiY2RFIgm91wMSSJAYHq2hrmaYUaMrjyAlyBKhV8Ua6udPEp/V
    UZPnPszGPY4lnCvaptSlWVYdQfYeAqCJ
    -----END CERTIFICATE-----
    """

  /// Its key.
  package static let rsaKey = """
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDaWHARV9Ib+5qu
    EGWV6rAt6AFHmRjQnc+iC7QDlht/igInL2Wzw4SX4PbWImVB0YlHxdST9+ttRbYy
    Q/57dehab8SIHplJrunScdUV1FsrDRW9FGbssfbuO+KSuzlWIxv1HQdVNYNp5jN8
    nzur3s3+7YvPWqQGqRBnHR4mG7D4VIjJmw8bPHLImda8MDNmoS1yh8n2Bw9mJ91K
    M5HLpiq45+kOlEeJQ/M/55leCcMzk4WfFhK8u1XqE0czITMv5lmfmakcxbJmQXp0
    H3qM6iCFaCD3pyomq7KkrdxwZWw3/0VoAngM0bwkEQNLhkJb9599ol0YTRcLJmWX
    C11msVEJAgMBAAECggEALBiLPX1qcftMwFWQZof4n7TIuWB6aftNCRFrAARrNkU1
    bRt94yGb4B5vS0yz/WhnXKbf6Sg7FBztkFY6CU4FKGqFGuZvF7nq//S8T4XNCbNB
    TifWJ3xDfdZ7Sh3klPhPN5/usK83hIYYpNT1tJ6xJIht4WkRUkUHioOPaKvUADqW
    zIipUkMCX4vdeiDZf3xRb4ThJ54twH6H652TdA4eAmCR0k27nqrJxyOtjWdIh7lb
    duwR6j/HaN4EC8aQrrOK3yQhadr9AxA5R05xUw87Sg8h2DHIQl3nMZRtrhzyrm+g
    U4XsHbnEfMJg8dBx2C4q4/XJtPlrWzEuj0g6QvrDhwKBgQDtMOnpCsXjYVKhBiQJ
    LOzAsctfl4+BJbtbttrsxsyd/7Hg7u5kMqfk47h3C1v80YNzkztuLJx8Y2U94DNn
    a1WCIIV8EKQ3R3VfDI4IhodnKI3Zbi8m5mcBQUZ0ZJoerxoozDI2Xztqc1VjVu9H
    n0iJrpotL189fsLv736dkvyOFwKBgQDrqPMbgU6ixfZA9WVKQkHpmTRmVhXkItg2
    mnvHIrPjxZuSrpL2pLu/t50+cc2adRjvY80WWGcAbfZZDi0GiHnLYoLArz48OqKr
    h8IswvB0dg6DoELD6b02FXkUdYsrRdSgms2LxixK0FSdkB7Lm6hI/qEGFms6N5fB
    WYxGTDSt3wKBgCmNTR0HRx2LWiddZQi6dwtW2lL3wSsVyhnKEdYzCXuQZMAL+3VQ
    Lnt5rUIlmkrTBV1E6L9nT063NvA9C6RNeGBghCH05F/Ow/APyf4SWzwmLZtuoxIE
    gP0GS2puiVVgxYtqIk3GJymB5O6PN0Hr1JBSJy5NQzkJsOrJoPvH2TinAoGAL/m/
    NFRIy/59OZA7xLhkbsgP0N2pqz4kwkkE9e9sq+wo1d3QcYHr7wXUb0f/0XgRUXsB
    35Czt3SreEnYhMH3+Z3efJewldZiE4WZ1D8DcNIv9kAEF5pYONB6S936LR8UQHYD
    bnczwS9UapdSjaTsx59+7JxXzAxRSr2OPyl4eAUCgYEAxkrhExwIYLkH2YKxngta
    +lD2HcbJiVrW9IiEAo7wfPf7OWzQTnKkoZ+6BS3KaiIW0wRpYDsENs4OMUIJOOaI
    wU75MORvlJdPif4omtBLyNBQywTOCGhm+dfcsTDcUaWmz2DZKvusQBjseVwEKH+7
    InABwvkyQ8Yja4nINNCTlI8=
    -----END PRIVATE KEY-----
    """

  /// `x5t#S256` of ``rsa``.
  package static let rsaThumbprint = "Bn5eLkp715Lpk2wWkT47reSvaU1HxqWZKf1MZu7ZBJs"

  /// A certificate on P-521, signed by itself, and its key.
  package static let p521 = """
    -----BEGIN CERTIFICATE-----
    MIIBqjCCAQugAwIBAgIUQ/6V4w2SpkRzbGtToyF+UKuqRW0wCgYIKoZIzj0EAwIw
    ETEPMA0GA1UEAwwGY2xpZW50MB4XDTIwMDEwMTAwMDAwMFoXDTQ5MDEwMTAwMDAw
    MFowETEPMA0GA1UEAwwGY2xpZW50MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQB
    hEJgXELCSEezmVyi0CM2jcp6ZRmqxpbFyVb4roE3Hs5xTolffCqdE5tgg22wjpCQ
    q1ylqgjEHd/XJq9dYs/wCRYB8qnDjWQ/tlzGZEMRQpbfr/F4j9chXwR7DbSftB6x
    sTuDm8fp6NIbZCdujLiKchlUO7q9aBT5SyvC/I3jYKUi7TswCgYIKoZIzj0EAwID
    gYwAMIGIAkIBmIWb/MpNqn+DuGeIJkBaNO2EBUr5FsodiB7hT7/Q3EHg+dXqBE8I
    a8tGZsgU0vIJ/3iLyfBlSW/eTxcUeeRXzkwCQgGABLO7oN6CZKjANfKmDUTal7n0
    jydJ2R9LGZhVl25SPjTNMGGaibNN5lIblTJwcYDNpgpy+EKhb/voO6y/gwXMHA==
    -----END CERTIFICATE-----
    -----BEGIN PRIVATE KEY-----
    MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIA6z2QroB3CxaMBLuY
    cRkFabnHm8don/eeM1/sVdKB+aQnRb054OcuNgdzn4+wDwG3Fg0jtXEWI9FvJoRz
    zAjAvUShgYkDgYYABAGEQmBcQsJIR7OZXKLQIzaNynplGarGlsXJVviugTceznFO
    iV98Kp0Tm2CDbbCOkJCrXKWqCMQd39cmr11iz/AJFgHyqcONZD+2XMZkQxFClt+v
    8XiP1yFfBHsNtJ+0HrGxO4Obx+no0htkJ26MuIpyGVQ7ur1oFPlLK8L8jeNgpSLt
    Ow==
    -----END PRIVATE KEY-----
    """

  /// A certificate with an RSA key of 1024 bits, signed by itself, and its key.
  package static let shortRSA = """
    -----BEGIN CERTIFICATE-----
    MIIBqTCCARKgAwIBAgIUURPFAXHnTdavb2LIBWvgfM3AYzMwDQYJKoZIhvcNAQEL
    BQAwETEPMA0GA1UEAwwGY2xpZW50MB4XDTIwMDEwMTAwMDAwMFoXDTQ5MDEwMTAw
    MDAwMFowETEPMA0GA1UEAwwGY2xpZW50MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB
    iQKBgQCd676m2bL0p1lapMDor7cXbFZC8o8QeAuDio7zuOp6H2LBcygAA0edjF7q
    LrJOoEwWxRLYvLWbR4pq/TCrV7WYvlM+Gl7UOaKjAIKf6ca/tDB0Z2ipMzvGVgIw
    8ZaUKFeqdz/pIrC4q96G5IH30vtyOJ4/cL5ibh1uX8i+9V6CeQIDAQABMA0GCSqG
    SIb3DQEBCwUAA4GBAG91tql7cJ3ucGMNKCfURdSmcNwq1Hp5wUObdPwSQtzqFGdk
    5VaflklRIhOHYfQsD0d68Y3HqnDawBvuCVOUjXn50HsPe/t5dXg1TDdjEHDlbHWf
    IVkNAM1L0xJ+W1yToES5t0ycuMI65w77fkuJ2lp733TGZ8ljqRrRWg7eoHMy
    -----END CERTIFICATE-----
    -----BEGIN PRIVATE KEY-----
    MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAJ3rvqbZsvSnWVqk
    wOivtxdsVkLyjxB4C4OKjvO46nofYsFzKAADR52MXuousk6gTBbFEti8tZtHimr9
    MKtXtZi+Uz4aXtQ5oqMAgp/pxr+0MHRnaKkzO8ZWAjDxlpQoV6p3P+kisLir3obk
    gffS+3I4nj9wvmJuHW5fyL71XoJ5AgMBAAECgYBJubl0I8ZMOaSZkLkO6JnNsaJD
    9wGbaq/VZWZ/miC9itGMBrrx5pYUk2fsZIiR9HwRVUgLL26JY8jXUgTauUPpo5JQ
    bggyYV62zAknmsRnHblPlryE2XIngQT0xkzWxW9ICQ4MaMIGcQRzsooHig31Pgy5
    CRiQzcz35yFNFs6TkQJBAMrDY99Q/OIvMuLf02h1PW+2ynkxuSxgAxlwHbjW/mE2
    jHXv/ncVlTvthNZayQH6luf1nVZg3/XYwmrmr0eTiJsCQQDHYk1Kz/zybx5/KdBB
    F6jfS+9X+VNgy+QCVOnLQnibmm2OiBB/6Mq4cXzCTJVLyValavVkBBDs0u6GQoPy
    gaB7AkAZMYPkSHzTYcfx1pu+++pBSjYILvxyHg/khkC7KcN7srprIQG+LClZw95g
    f/E/1LIRajw9clYBhwhJHhajTxqHAkEAi2IuNGmYJAcIY89gVdDrbkbQaEjVP+rp
    V7PyyPSMCgN4KVb3aePcq/oyREZzbEqxNuzB5YxuJJEEzHj9cu+ptwJAKh+MQAf0
    TcNpZ8Hhi1RyaE7EFz5D5nfpLLJfubvCoqzOw72SidGq+3pfpXOSa3pSr2t0Mzgy
    m76fhs8WSrnfxg==
    -----END PRIVATE KEY-----
    """

  /// The number of ``p256Key`` as a JWK has it, and the part of its PEM that has nothing else.
  package static let p256Private = (number: "mzes_41ZQgvLfkq8ILRj7sjYdeTom9f0YZ-AsNa5fJ4", text: "mzes/41ZQgvLfkq8")
}
